/** Finds what dispatches and feedback count in, by their device signals and target. */

import type { ReportedTarget } from '../../domain/evaluation/feedback.ts'
import { deviceSignals, type Signals } from '../../domain/signals/signals.ts'
import type { FindText } from '../../engine/language/counterKey.ts'
import type { CounterSeries, CounterSource } from '../../engine/language/counters.ts'
import type { EvidenceItem } from '../../engine/run/evidence.ts'
import { rulebookStream } from '../../events/rulebook/rulebook.ts'
import type { RulebookStreams } from '../rulebook/rulebookStreams.ts'
import { readValues } from './counterKeys.ts'

/** The series of the account's counters that count this. */
export async function findSeriesOf(
  { rulebooks }: Pick<RulebookStreams, 'rulebooks'>,
  account: string,
  isSource: (source: CounterSource) => boolean,
): Promise<readonly CounterSeries[]> {
  const { state } = await rulebooks.getFolded(rulebookStream(account))
  return [...state.counters.values()].flatMap(({ series }) =>
    isSource(series.source) ? [series] : [],
  )
}

/**
 * The values of a dispatch, or of feedback. What feedback says of a device counts only where it names a dispatch, whose
 * values win; undefined where it names none.
 */
export function readReportedValues({
  target,
  dispatch,
  signals = {},
}: {
  readonly target?: ReportedTarget
  readonly dispatch: Signals | undefined
  readonly signals?: Signals
}): FindText {
  const values = new Map<string, EvidenceItem>()
  if (target) values.set(`target.${target.type}`, { value: target.value, source: 'request' })
  for (const signal of dispatch ? deviceSignals : []) {
    const value = dispatch?.[signal] || signals[signal]
    if (value) values.set(`signal.${signal}`, { value, source: 'dispatch' })
  }
  return readValues(values, undefined)
}
