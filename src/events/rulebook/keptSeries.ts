/** Keeps which series of counters the rules of an account have, and since when. */

import { type CounterSeries, listCounters, mayCount } from '../../engine/language/counters.ts'
import type { Expression } from '../../engine/language/expression.ts'
import type { RuleVersion } from './rulebook.ts'

/** A series in force: every event of its source is counted. */
interface KeptSeries {
  readonly series: CounterSeries
  /** Versions of rules, current or pinned, that have it. */
  readonly uses: number
  /** When it came into force, in milliseconds since the Unix epoch; undefined in what is only decided on. */
  readonly sinceMs: number | undefined
}

/** By the id of the series. */
export type KeptSeriesMap = Map<string, KeptSeries>

/** Notes that the version is in force, or no longer. */
export function countSeries(kept: KeptSeriesMap, version: RuleVersion, times: 1 | -1): void {
  for (const series of listVersionSeries(version)) {
    const { uses = 0, sinceMs } = kept.get(series.id) ?? {}
    if (uses + times > 0) kept.set(series.id, { series, uses: uses + times, sinceMs })
    else kept.delete(series.id)
  }
}

/** Gives the series that have just come into force the time of the event. */
export function dateSeries(kept: KeptSeriesMap, timeMs: number): void {
  for (const [id, one] of kept)
    if (one.sinceMs === undefined) kept.set(id, { ...one, sinceMs: timeMs })
}

/** Each once; the expression is read only of a rule that may have one. */
function listVersionSeries({ text, expression }: RuleVersion): readonly CounterSeries[] {
  if (!mayCount(text)) return []
  const counters = listCounters(JSON.parse(expression) as Expression)
  return [...new Map(counters.map(({ series }) => [series.id, series])).values()]
}
