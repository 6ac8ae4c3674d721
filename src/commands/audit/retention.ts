/** Sets and ends the retention of evidence and dispatches; destroys what is older. */

import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Call, WriteResult } from '../../domain/call.ts'
import {
  closedObject,
  countSchema,
  openObject,
  optional,
  type TypeOf,
  timeSchema,
} from '../../domain/jsonSchema.ts'
import { isoTime } from '../../domain/text/isoTime.ts'
import { uuidV7 } from '../../domain/uuid.ts'
import {
  evolveRetention,
  noRetention,
  type Retention,
  type RetentionEvent,
  retentionStream,
} from '../../events/audit/retention.ts'
import type { FoldedStreamCache } from '../../state/folding/foldedStreamCache.ts'
import type { StreamType } from '../../state/folding/streamType.ts'
import { keyLifetimeMs } from '../../stores/keys/keyring.ts'
import type { WriteContext } from '../handling/commandContext.ts'
import { buildEventContext, executeAndWait, executeCommand } from '../handling/executeCommand.ts'

const days = {
  type: 'integer',
  minimum: 1,
  maximum: 36_500,
  description:
    'Older evidence and dispatches are erased, at most 30 days later: a sealing key covers that long.',
} as const

export const retentionInputSchema = closedObject('RetentionInput', { evaluations_days: days })

export const retentionSchema = openObject('Retention', {
  evaluations_days: optional({ ...days, description: 'Absent while evidence is kept for ever.' }),
  erased_until: optional({
    ...timeSchema,
    description: 'The evidence of evaluations up to this time is erased.',
  }),
  evaluations_erased: { ...countSchema, description: 'Number since the retention was set.' },
  dispatches_erased: { ...countSchema, description: 'Number since the retention was set.' },
  keys_destroyed: { ...countSchema, description: 'Number since the retention was set.' },
})
export type RetentionView = TypeOf<typeof retentionSchema>

export interface RetentionStreams {
  readonly retentions: FoldedStreamCache<Retention, RetentionEvent>
}

type Context = WriteContext & RetentionStreams

/** What destroying old evidence takes. */
export interface ExpiryContext extends WriteContext, RetentionStreams {
  /** The next ids of accounts after a cursor: answered by the queries. */
  readonly listAccountIds: (cursor: string | undefined) => Promise<{
    readonly ids: readonly string[]
    readonly nextCursor?: string | undefined
  }>
  /** The oldest evaluations and dispatches of an account that come next, and the ids of their keys: answered by the queries. */
  readonly findAgedEvidence: (asked: {
    readonly account: string
    readonly beforeMs: number
    readonly after: Retention
    /** Of each. */
    readonly limit: number
  }) => Promise<Omit<EvidenceExpired, 'keys'> & { readonly keys: readonly string[] }>
}

type EvidenceExpired = Extract<RetentionEvent, { type: 'EvidenceExpired' }>['data']

const dayMs = 24 * 60 * 60 * 1_000
/** Evaluations, and dispatches, in a step, and the pause behind it, in which others have the stores. */
const stepMax = 200
const pauseMs = 50

export const retentionStreamType: StreamType<Retention, RetentionEvent> = {
  initial: () => noRetention,
  evolve: evolveRetention,
  estimateBytes: () => 0,
}

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

/** The retention as it is answered. */
export function toRetentionView({ days, until, ...counts }: Retention): RetentionView {
  return {
    ...(days !== undefined && { evaluations_days: days }),
    ...(until && { erased_until: isoTime(until.time) }),
    evaluations_erased: counts.evaluations,
    dispatches_erased: counts.dispatches,
    keys_destroyed: counts.keys,
  }
}

/**
 * Destroys the evidence that is older than its account keeps it, account by account, in small steps, until the signal. Any number of instances
 * may do it at once: what was destroyed is destroyed again, and one of them puts it on record. Throws what the stores throw.
 */
export async function expireEvidence(context: ExpiryContext, signal: AbortSignal): Promise<void> {
  let cursor: string | undefined
  do {
    const page = await context.listAccountIds(cursor)
    for (const account of page.ids) {
      while (!signal.aborted && (await expireNext(context, account))) await sleep(pauseMs)
    }
    cursor = page.nextCursor
  } while (cursor !== undefined && !signal.aborted)
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
  const { keys, ...passed } = await context.findAgedEvidence(asked)
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
