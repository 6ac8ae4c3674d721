/** Checks what reports name, and reads of it what they carry: evaluations, times, dispatches. */

import { clockSkewMs } from '../../domain/clock.ts'
import { type ClearDetails, pickDetails } from '../../domain/evaluation/feedback.ts'
import { type FailureDetail, invalidRequest } from '../../domain/failure.ts'
import { decode } from '../../events/catalogue.ts'
import type { RecordedDetails } from '../../events/feedback/feedbackEvents.ts'
import type { EventContext } from '../../events/recording/event.ts'
import { computeLookupDigest } from '../../events/recording/lookupDigest.ts'
import type { Keyring } from '../../events/recording/sealing.ts'
import { type DispatchEvent, dispatchStream } from '../../events/signals/dispatch.ts'
import { findEvaluationRecord, readAll } from '../../state/evaluation/readEvaluationRecord.ts'
import type { DispatchContext } from '../../state/signals/findDispatch.ts'

/** What a report is about beside its target, as far as it was said; in form, not checked any further. */
export interface ReportDetails extends ClearDetails {
  readonly dispatch_id?: string
  readonly correlation_id?: string
  /** Of the answer of a review. */
  readonly note?: string
}

/** A batch of reports, under the field of the request that holds them. */
interface BatchOfDetails {
  readonly name: string
  readonly inputs: readonly ReportDetails[]
}

/** Throws `invalid_request`: an entry for every time in the future, and every evaluation that is not the account's. */
export async function checkDetails(
  { events }: Pick<DispatchContext, 'events'>,
  { account, time }: Pick<EventContext, 'account' | 'time'>,
  { name, inputs }: BatchOfDetails,
): Promise<void> {
  const evaluations = await readAll(listNamed(inputs, 'evaluation_id'), (id) =>
    findEvaluationRecord(events, id),
  )
  const problems: FailureDetail[] = []
  for (const [index, { evaluation_id, occurred_at = 0 }] of inputs.entries()) {
    const path = `${name}.${index}`
    // of another account's it is said as of one that is not there
    if (evaluation_id !== undefined && evaluations.get(evaluation_id)?.account !== account) {
      const message = 'There is no evaluation with this id.'
      problems.push({ path: `${path}.evaluation_id`, message })
    }
    if (occurred_at > time + clockSkewMs) {
      problems.push({ path: `${path}.occurred_at`, message: 'Must not be in the future.' })
    }
  }
  if (problems.length > 0) throw invalidRequest(problems)
}

type SignalDigests = NonNullable<RecordedDetails['signal_digests']>

/**
 * The keyed digests of the signals of the account's dispatches that are named, by the dispatch's id, also of one that
 * is erased: none of one that is another account's or unknown. However old: a chargeback comes long after.
 */
export function readSignalDigests(
  { events, keyring }: Pick<DispatchContext, 'events' | 'keyring'>,
  account: string,
  inputs: readonly ReportDetails[],
): Promise<ReadonlyMap<string, SignalDigests | undefined>> {
  return readAll(listNamed(inputs, 'dispatch_id'), async (dispatchId) => {
    const stream = dispatchStream(keyring.subject(account, 'dispatch', dispatchId))
    const [recorded] = await events.readStream(stream, { from: 0, limit: 1 })
    return recorded && (decode(recorded).event as DispatchEvent).data.digests
  })
}

function listNamed(
  inputs: readonly ReportDetails[],
  field: 'evaluation_id' | 'dispatch_id',
): readonly string[] {
  return [...new Set(inputs.flatMap(({ [field]: id }) => (id === undefined ? [] : [id])))]
}

interface Recording {
  readonly keyring: Pick<Keyring, 'subject'>
  readonly context: Pick<EventContext, 'account' | 'time'>
  /** Of the dispatches that are named. */
  readonly signalDigests: ReadonlyMap<string, SignalDigests | undefined>
}

/** What an event records of them in clear; what happened did so by the time it was received. */
export function recordDetails(
  { keyring, context: { account, time }, signalDigests }: Recording,
  { dispatch_id, correlation_id: value, ...said }: ReportDetails,
): RecordedDetails {
  const { occurred_at, ...details } = pickDetails(said)
  const signal_digests = signalDigests.get(dispatch_id ?? '')
  return {
    ...details,
    ...(occurred_at !== undefined && { occurred_at: Math.min(occurred_at, time) }),
    ...(value !== undefined && {
      correlation: computeLookupDigest(keyring, account, { kind: 'correlation_id', value }),
    }),
    ...(dispatch_id !== undefined && {
      dispatch_subject: keyring.subject(account, 'dispatch', dispatch_id),
    }),
    ...(signal_digests && { signal_digests }),
  }
}
