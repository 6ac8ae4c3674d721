/** How long an account keeps the evidence of its evaluations, and the work that destroys what is older. */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Family } from '../../commands/handling/family.ts'
import { openStreams, type Streams } from '../../commands/handling/streams.ts'
import type { Call, Written } from '../../domain/call.ts'
import { isoTime } from '../../domain/isoTime.ts'
import { uuidV7 } from '../../domain/uuid.ts'
import {
  evolveRetention,
  noRetention,
  type Retention,
  type RetentionEvent,
  retentionStream,
} from '../../events/audit/retention.ts'
import { decode } from '../../events/catalogue.ts'
import { accountPage } from '../../queries/accounts/accounts.ts'
import { findAgedEvaluations } from '../../queries/audit/agedEvaluations.ts'
import { keyServesMs } from '../../stores/keyring.ts'
import { carryOut, eventContextOf, type ServiceContext, write } from '../opening/serviceContext.ts'
import type { AuditPart, RetentionView } from './auditPart.ts'

const dayMs = 24 * 60 * 60 * 1_000
/** When it is looked for old evidence, after the start and then again. */
const firstMs = 60 * 1_000
const everyMs = 60 * 60 * 1_000
/** Evaluations in a step, and the pause behind it, in which others have the stores. */
const stepMax = 200
const pauseMs = 50
const accountsMax = 100
const streamsBytes = 1024 * 1024

type RetentionStreams = Streams<Retention, RetentionEvent>

const family: Family<Retention, RetentionEvent> = {
  initial: () => noRetention,
  evolve: evolveRetention,
  weigh: () => 0,
}

function openRetentions({ events: store }: ServiceContext): RetentionStreams {
  return openStreams({ store, decode, bytesMax: streamsBytes, family })
}

/** The commands and the question. */
export function openRetention(context: ServiceContext): AuditPart['retention'] {
  const streams = openRetentions(context)
  const change = async (call: Call, event: RetentionEvent): Promise<Written<RetentionView>> => {
    const { accountId: account } = call.principal
    const operation = `retention ${event.type}`
    const eventContext = eventContextOf(context, call, { account, operation, input: event.data })
    const isDone = ({ days }: Retention) => event.type === 'RetentionEnded' && days === undefined
    const written = await write(context, streams, {
      stream: retentionStream(account),
      context: eventContext,
      decide: (before) => (isDone(before) ? [] : [event]),
    })
    return { ...written, value: viewOf(written.value.state) }
  }
  return {
    get: async ({ principal }) =>
      viewOf((await streams.catchUp(retentionStream(principal.accountId))).state),
    set: (call, { evaluations_days }) =>
      change(call, { type: 'RetentionSet', data: { evaluations_days } }),
    end: (call) => change(call, { type: 'RetentionEnded', data: {} }),
  }
}

function viewOf({ days, until, evaluations, keys }: Retention): RetentionView {
  return {
    ...(days !== undefined && { evaluations_days: days }),
    ...(until && { erased_until: isoTime(until.time) }),
    evaluations_erased: evaluations,
    keys_destroyed: keys,
  }
}

/**
 * Destroys the evidence that is older than its account keeps it, account by account, in small steps, until the signal. Any number of instances
 * may do it at once: what was destroyed is destroyed again, and one of them puts it on record. Throws what the stores throw.
 */
export async function expireEvidence(context: ServiceContext, signal: AbortSignal): Promise<void> {
  const streams = openRetentions(context)
  let cursor: string | undefined
  do {
    const page = await accountPage(context, { limit: accountsMax, ...(cursor && { cursor }) })
    for (const { id } of page.items) await expireOf({ context, streams, signal }, id)
    cursor = page.nextCursor
  } while (cursor !== undefined && !signal.aborted)
}

interface Work {
  readonly context: ServiceContext
  readonly streams: RetentionStreams
  readonly signal: AbortSignal
}

async function expireOf(work: Work, account: string): Promise<void> {
  while (!work.signal.aborted && (await step(work, account))) await sleep(pauseMs)
}

/** Whether there may be more. */
async function step({ context, streams }: Work, account: string): Promise<boolean> {
  const stream = retentionStream(account)
  const { days, until: after } = (await streams.catchUp(stream)).state
  if (days === undefined) return false
  const nowMs = context.clock.nowMs()
  // a key may have served for its whole time after the evaluation: whatever else it sealed is then old enough as well
  const beforeMs = nowMs - days * dayMs - keyServesMs
  const asked = { account, beforeMs, after, limit: stepMax }
  const { evaluations, until, keys } = await findAgedEvaluations(context, asked)
  if (!until) return false
  await context.keyring.destroy(keys, nowMs)
  const expired: RetentionEvent = {
    type: 'EvidenceExpired',
    data: { until, evaluations, keys: keys.length },
  }
  const command = uuidV7(context.clock, context.chance)
  await carryOut(context, streams, {
    stream,
    context: { account, actor: 'service', request: '', time: nowMs, command },
    // what was set or recorded meanwhile is begun with or gone on from in the next step
    decide: (now) =>
      now.days === days && now.until?.evaluation_id === after?.evaluation_id ? [expired] : [],
  })
  return evaluations === stepMax
}

/** Looks a minute after the start, and every hour, where the projections run, until it is closed. */
export function openRetentionSweep(context: ServiceContext): { readonly close: () => void } {
  const stop = new AbortController()
  let isLooking = false
  const look = async (): Promise<void> => {
    if (isLooking || !context.projections.holding().held) return
    isLooking = true
    await expireEvidence(context, stop.signal).finally(() => {
      isLooking = false
    })
  }
  const sweep = (): void => context.background.run(look)
  const first = setTimeout(sweep, firstMs).unref()
  const timer = setInterval(sweep, everyMs).unref()
  return {
    close: () => {
      stop.abort()
      clearTimeout(first)
      clearInterval(timer)
    },
  }
}
