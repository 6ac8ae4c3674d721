/** Parses the signal options of the command line. */

import { callerSignals, devicePlatforms, deviceSignals } from '../../domain/signals/signals.ts'
import { usageError } from '../terminal/cliError.ts'
import type { Pairs } from '../terminal/describe.ts'

const callerNames: readonly string[] = callerSignals
const deviceNames: readonly string[] = deviceSignals
const platforms: readonly string[] = devicePlatforms

type Signals = Readonly<Record<string, string | boolean | Pairs>>

/** The `signals` of an evaluation; undefined without any. Throws `usage` for an unknown signal or an invalid value. */
export function signalsOf(signals: Pairs = {}, ext: Pairs = {}): Signals | undefined {
  const read = Object.entries(signals).map(([name, value]) => [name, signalValue(name, value)])
  const hasExt = Object.keys(ext).length > 0
  if (read.length === 0 && !hasExt) return undefined
  return { ...Object.fromEntries(read), ...(hasExt && { ext }) }
}

/** The signals of a dispatch. Throws `usage` for an unknown device or network signal or an invalid value. */
export function deviceSignalsOf(signals: Pairs = {}): Pairs {
  for (const [name, value] of Object.entries(signals)) {
    if (!deviceNames.includes(name)) {
      throw usageError(`A dispatch has ${deviceSignals.join(', ')}; ${name} is none of them.`)
    }
    checkPlatform(name, value)
  }
  return signals
}

function signalValue(name: string, value: string): string | boolean {
  if (callerNames.includes(name)) {
    if (value === 'true' || value === 'false') return value === 'true'
    throw usageError(`The signal ${name} is true or false.`)
  }
  if (!deviceNames.includes(name)) {
    const known = [...deviceSignals, ...callerSignals].join(', ')
    throw usageError(
      `There is no signal ${name}; pass a signal of your own with --ext. Signals: ${known}.`,
    )
  }
  checkPlatform(name, value)
  return value
}

function checkPlatform(name: string, value: string): void {
  if (name !== 'device_platform' || platforms.includes(value)) return
  throw usageError(`The signal device_platform is one of ${platforms.join(', ')}.`)
}
