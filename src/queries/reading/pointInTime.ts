/** Resolves a requested position or time to both: a log position and its time. */

import { clockSkewMs } from '../../domain/clock.ts'
import { invalidRequest } from '../../domain/failure.ts'
import { managedAccountId } from '../../domain/ids.ts'
import { historyCollection } from '../../projections/audit/history.ts'
import { findDocuments, type Readers } from '../../projections/running/documents.ts'
import type { QueryContext } from './queryContext.ts'
import { waitForReadModels } from './waitForReadModels.ts'

/** A position of the log, or milliseconds since the Unix epoch. */
export type PositionOrTime = { readonly position: number } | { readonly timeMs: number }

export interface PointInTime {
  /** Of the last event that counts. */
  readonly position: number
  /** By which entries of lists expire. */
  readonly timeMs: number
}

export type PointInTimeContext = Pick<
  QueryContext,
  'events' | 'documents' | 'projections' | 'clock'
>

interface RequestedPoint {
  readonly account: string
  /** The parameter that names it; what is wrong with it is said under this path. */
  readonly path: string
  /** Undefined for now. */
  readonly point: PositionOrTime | undefined
}

/** Documents read at a time. */
const readAtOnce = 500

/**
 * The point in the log. Of a time it is the last event of the account or of the managed rules by then, give or take the
 * difference of clocks. Throws `invalid_request` for a point that lies behind the end of the log, `unavailable` while
 * the read models are behind.
 */
export async function resolvePoint(
  context: PointInTimeContext,
  { account, path, point }: RequestedPoint,
): Promise<PointInTime> {
  const head = await context.events.head()
  const nowMs = context.clock.nowMs()
  if (!point) {
    await waitForReadModels(context, head)
    return { position: head, timeMs: nowMs }
  }
  if ('position' in point) {
    if (point.position > head) {
      throw invalidPoint(path, `Must be a position of the log, which ends at ${head}.`)
    }
    await waitForReadModels(context, point.position)
    const [last] = await findDocuments(context, historyCollection, {
      where: { account, at: { lt: point.position + 1 } },
      sort: ['-at'],
      limit: 1,
    })
    return { ...point, timeMs: last?.body.time ?? 0 }
  }
  if (point.timeMs > nowMs + clockSkewMs) throw invalidPoint(path, 'Must not be in the future.')
  await waitForReadModels(context, head)
  const of = [account, managedAccountId].map((one) => findPositionAt(context, one, point.timeMs))
  return { ...point, position: Math.max(...(await Promise.all(of))) }
}

function invalidPoint(path: string, message: string): Error {
  return invalidRequest([{ path, message }])
}

/** Position of the account's last event by this time, 0 before the first. A command's events have the same time. */
async function findPositionAt(readers: Readers, account: string, timeMs: number): Promise<number> {
  const [last] = await findDocuments(readers, historyCollection, {
    where: { account, time: { lt: timeMs + 1 } },
    sort: ['-time'],
    limit: 1,
  })
  for (let position = last?.body.at ?? 0; ; ) {
    const next = await findDocuments(readers, historyCollection, {
      where: { account, at: { gt: position } },
      sort: ['at'],
      limit: readAtOnce,
    })
    const later = next.findIndex(({ body }) => body.time > timeMs)
    const among = later < 0 ? next : next.slice(0, later)
    position = among.at(-1)?.body.at ?? position
    if (among.length < readAtOnce) return position
  }
}
