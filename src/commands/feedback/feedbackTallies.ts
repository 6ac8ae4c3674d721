/** Finds what feedback counts in, also by the device of the dispatch that it names. */

import type { FeedbackType, ReportedTarget } from '../../domain/evaluation/feedback.ts'
import type { FeedbackSignals } from '../../domain/signals/signalSchemas.ts'
import type { Tally } from '../../events/recording/tallies.ts'
import { listTallies } from '../../state/evaluation/listTallies.ts'
import { readAll } from '../../state/evaluation/readEvaluationRecord.ts'
import { findSeriesOf, readReportedValues } from '../../state/evaluation/tallyReports.ts'
import type { RulebookStreams } from '../../state/rulebook/rulebookStreams.ts'
import { type DispatchContext, findDispatch } from '../../state/signals/findDispatch.ts'

interface CountedFeedback {
  readonly type: FeedbackType
  readonly target: ReportedTarget
  readonly signals?: FeedbackSignals
  readonly dispatch_id?: string
}

type Context = Pick<DispatchContext, 'events' | 'keyring'> & Pick<RulebookStreams, 'rulebooks'>

/** Finds the tallies of these, one after the other; their dispatches count however old they are. */
export async function openFeedbackTallies(
  context: Context,
  account: string,
  inputs: readonly CountedFeedback[],
): Promise<(input: CountedFeedback) => readonly Tally[]> {
  const types: ReadonlySet<string> = new Set(inputs.map(({ type }) => type))
  const series = await findSeriesOf(context, account, (source) => types.has(source))
  if (series.length === 0) return () => []
  const named = new Set(inputs.flatMap(({ dispatch_id }) => dispatch_id ?? []))
  const { events, keyring } = context
  const stores = { events, keyring, dispatchLifetimeMs: Number.POSITIVE_INFINITY }
  const dispatches = await readAll([...named], (dispatchId) =>
    findDispatch(stores, { account, dispatchId, timeMs: 0 }),
  )
  return ({ type, target, signals = {}, dispatch_id: id }) =>
    listTallies(keyring, {
      account,
      series: series.filter(({ source }) => source === type),
      findText: readReportedValues({
        target,
        dispatch: id === undefined ? undefined : dispatches.get(id)?.signals,
        signals,
      }),
    })
}
