/** Builds the sample request of what a rule reads. */

import type { RuleTest } from '../../api/schema.ts'

/** What is tried with, by the names of the rule language; what is not in it is missing. */
export type Sample = Readonly<Record<string, string>>

const flags = new Set(['existing_user', 'is_trusted_user'])

/** The request that brings these values; device and network count as with a dispatch. */
export function toEvidence(sample: Sample): RuleTest['evidence'] {
  const parts: Record<Part, Record<string, string | boolean>> = {
    target: {},
    lists: {},
    ext: {},
    signals: {},
    dispatch_signals: {},
    time: {},
  }
  for (const [name, value] of Object.entries(sample)) {
    if (value === '') continue
    const part = partOf(name)
    parts[part][keyOf(name)] = isFlag(name) ? value === 'true' : value
  }
  const { ext, time, signals, ...others } = parts
  const own = { ...signals, ...(Object.keys(ext).length > 0 && { ext }) }
  const all = Object.entries({ ...others, signals: own })
  const given = all.filter(([, values]) => Object.keys(values).length > 0)
  return { ...Object.fromEntries(given), ...(time['time'] && { time: String(time['time']) }) }
}

type Part = 'target' | 'lists' | 'ext' | 'signals' | 'dispatch_signals' | 'time'

function partOf(name: string): Part {
  if (name.startsWith('signal.ext')) return 'ext'
  if (name.startsWith('signal.')) return isFlag(name) ? 'signals' : 'dispatch_signals'
  if (name.startsWith('list.')) return 'lists'
  return name === 'request.time' ? 'time' : 'target'
}

/** The field of the request that brings the name. */
function keyOf(name: string): string {
  const inBrackets = /^signal\.ext\[(".*")\]$/.exec(name)?.[1]
  if (inBrackets !== undefined) return JSON.parse(inBrackets)
  return name.replace(/^(?:signal\.ext|signal|target|list|request)\./, '')
}

/** The values of a recorded evaluation that a sample can have. */
export function toSample(
  evidence: readonly { readonly name: string; readonly value: unknown }[],
): Sample {
  const settable = evidence.filter(
    ({ name, value }) =>
      /^(?:signal|target|list|request)\b[^(]*$/.test(name) && typeof value !== 'object',
  )
  return Object.fromEntries(settable.map(({ name, value }) => [name, String(value)]))
}

export const isFlag = (name: string): boolean =>
  name.startsWith('list.') || flags.has(name.slice('signal.'.length))
