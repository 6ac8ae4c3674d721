/** Declares `vigil signals` and `vigil dispatches`; parses the signal options of all commands. */

import { randomUUID } from 'node:crypto'
import { callerSignals, devicePlatforms, deviceSignals } from '../../domain/signals/signals.ts'
import type { SignalView } from '../../queries/rulebook/signals.ts'
import type { CommandDefinition } from '../connecting/commandDefinition.ts'
import { usageError } from '../terminal/cliError.ts'
import { pairsOption, type ValuesByName } from '../terminal/optionValues.ts'
import type { ItemColumns } from '../terminal/table.ts'

const columns: ItemColumns<SignalView> = {
  NAME: 'name',
  TYPE: 'type',
  DISPATCH: ({ needs_dispatch }) => (needs_dispatch ? 'needed' : ''),
  // the source that wins comes first
  FROM: { cell: 'sources', narrow: 'wrap' },
  MEANING: { cell: 'meaning', narrow: 'wrap' },
}

export const signalsCommand: CommandDefinition = {
  summary: 'List every name that a rule can read, with its type and the source of its value.',
  request: 'GET /v2/watch/management/signals',
  list: { name: 'signals', columns, isPaged: false },
}

const sample = 'vigil dispatches record acc_01jc0t6fwwfgfsq1md24mhyztj --signal ip=192.0.2.7'

export const dispatchCommands: CommandDefinition = {
  summary: 'Record dispatches (operator).',
  example: sample,
  caller: 'operator',
  commands: {
    'record <account> [dispatch]': {
      summary: 'Record the signals of a dispatch and print its id, a new one unless given.',
      example: `${sample} --signal device_platform=web`,
      options: { '--signal <name=value>': pairsOption('a device or network signal') },
      request: 'POST /v2/operator/accounts/<account>/dispatches',
      body: {
        dispatch_id: (given) => given('<dispatch>') ?? randomUUID(),
        signals: (given) => parseDeviceSignals(given<ValuesByName>('--signal')),
      },
    },
  },
}

const callerNames: readonly string[] = callerSignals
const deviceNames: readonly string[] = deviceSignals
const platforms: readonly string[] = devicePlatforms

type Signals = Readonly<Record<string, string | boolean | ValuesByName>>

/** The `signals` of an evaluation; undefined without any. Throws `usage` for an unknown signal or an invalid value. */
export function parseSignals(
  signals: ValuesByName = {},
  ext: ValuesByName = {},
): Signals | undefined {
  const read = Object.entries(signals).map(([name, value]) => [name, signalValue(name, value)])
  const hasExt = Object.keys(ext).length > 0
  if (read.length === 0 && !hasExt) return undefined
  return { ...Object.fromEntries(read), ...(hasExt && { ext }) }
}

/** The signals of a dispatch. Throws `usage` for an unknown device or network signal or an invalid value. */
export function parseDeviceSignals(signals: ValuesByName = {}): ValuesByName {
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
