/** Sets and ends the retention of evidence and dispatches; destroys what is older. */

import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Call, WriteResult } from '../../domain/call.ts'
import { closedObject, type TypeOf } from '../../domain/jsonSchema.ts'
import { uuidV7 } from '../../domain/uuid.ts'
import {
  type Retention,
  type RetentionEvent,
  retentionStream,
} from '../../events/audit/retention.ts'
import { accountCollection } from '../../projections/accounts/accounts.ts'
import { type Readers, readDocumentPages } from '../../projections/running/documents.ts'
import {
  type RetentionStreams,
  type RetentionView,
  retentionDays,
  toRetentionView,
} from '../../state/audit/retentionStreamType.ts'
import { findAgedEvidence } from '../../state/audit/sealingKeys.ts'
import { keyLifetimeMs } from '../../stores/keys/keyring.ts'
import type { WriteContext } from '../handling/commandContext.ts'
import { buildEventContext, executeAndWait, executeCommand } from '../handling/executeCommand.ts'

export const retentionInputSchema = closedObject('RetentionInput', {
  evaluations_days: retentionDays,
})

type Context = WriteContext & RetentionStreams
type ExpiryContext = Context & Readers

const dayMs = 24 * 60 * 60 * 1_000
/** Evaluations, and dispatches, in a step, and the pause behind it, in which others have the stores. */
const stepMax = 200
const pauseMs = 50
/** Accounts read at a time. */
const accountsAtOnce = 100

/** Again begins with the oldest evaluation again: where older keys were restored, they are destroyed once more. */
export function setRetention(
  context: Context,
  call: Call,
  data: TypeOf<typeof retentionInputSchema>,
): Promise<WriteResult<RetentionView>> {
  return changeRetention(context, call, { type: 'RetentionSet', data })
}

/** Repeating it is no error. */
export function endRetention(context: Context, call: Call): Promise<WriteResult<RetentionView>> {
  return changeRetention(context, call, { type: 'RetentionEnded', data: {} })
}

async function changeRetention(
  context: Context,
  call: Call,
  event: RetentionEvent,
): Promise<WriteResult<RetentionView>> {
  const { accountId: account } = call.principal
  const intention = { account, operation: `retention ${event.type}`, input: event.data }
  const isDone = ({ days }: Retention) => event.type === 'RetentionEnded' && days === undefined
  const written = await executeAndWait(context, context.retentions, {
    stream: retentionStream(account),
    context: buildEventContext(context, call, intention),
    decide: (before) => (isDone(before) ? [] : [event]),
  })
  return { ...written, value: toRetentionView(written.value.state) }
}

/**
 * Destroys the evidence that is older than its account keeps it, account by account, in small steps, until the signal.
 * Any number of instances may do it at once: what was destroyed is destroyed again, and one of them puts it on record.
 * Throws what the stores throw.
 */
export async function expireEvidence(context: ExpiryContext, signal: AbortSignal): Promise<void> {
  const reading = { question: { where: {}, sort: ['made'] as const }, readAtOnce: accountsAtOnce }
  for await (const accounts of readDocumentPages(context, accountCollection, reading)) {
    for (const { id } of accounts) {
      while (!signal.aborted && (await expireNext(context, id))) await sleep(pauseMs)
    }
    if (signal.aborted) return
  }
}

/** Whether there may be more. */
async function expireNext(context: ExpiryContext, account: string): Promise<boolean> {
  const stream = retentionStream(account)
  const { state: after } = await context.retentions.catchUp(stream)
  if (after.days === undefined) return false
  const nowMs = context.clock.nowMs()
  // a key may have served for its whole time after the evaluation: whatever else it sealed is then old enough as well
  const beforeMs = nowMs - after.days * dayMs - keyLifetimeMs
  const asked = { account, beforeMs, after, limit: stepMax }
  const { keys, ...passed } = await findAgedEvidence(context, asked)
  if (passed.evaluations + passed.dispatches === 0) return false
  await context.keyring.destroy(keys, nowMs)
  const data = { ...passed, keys: keys.length }
  const expired: RetentionEvent = { type: 'EvidenceExpired', data }
  const command = uuidV7(context.clock, context.random)
  await executeCommand(context, context.retentions, {
    stream,
    context: { account, actor: 'service', request: '', time: nowMs, command },
    // what was set or recorded meanwhile is begun with or gone on from in the next step
    decide: (now) => (isDeepStrictEqual(now, after) ? [expired] : []),
  })
  return passed.evaluations === stepMax || passed.dispatches === stepMax
}
