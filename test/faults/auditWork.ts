/** Asks running instances as auditors do, beside writers, and keeps what was answered. */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Received } from '../http/support/sendRequest.ts'
import type { Customer } from '../support/openVigil.ts'
import type { StartedVigil } from '../support/startedVigil.ts'
import type { SeededChance } from './seededChance.ts'

export interface Person {
  readonly field: 'phone_number' | 'email_address'
  readonly value: string
}

export type Body = Record<string, unknown>

/** What a follower asks for, and the positions that it was answered, in that order. */
export interface Followed {
  readonly name: string
  readonly path: string
  /** Which of the log it must have. */
  readonly wanted: { readonly type?: string; readonly person?: Person }
  readonly positions: number[]
}

/** Pages backwards from the newest: everything up to `end`, in the order of the log. */
export interface Backwards {
  readonly end: number
  readonly positions: readonly number[]
}

export interface Certified {
  readonly person: Person
  readonly certificate: Body
}

export interface AskedState {
  readonly kind: string
  readonly asOf: number
  readonly ids: readonly string[]
}

/** What was answered. */
export interface AuditAnswers {
  readonly followed: Followed[]
  readonly backwards: Backwards[]
  readonly certified: Certified[]
  readonly states: AskedState[]
  /** By the id of an evaluation whom it was of. */
  readonly evaluated: Map<string, readonly Person[]>
  /** Sentences: answers that nobody may get. */
  readonly faults: string[]
}

export interface AuditWork extends AuditAnswers {
  readonly instances: readonly StartedVigil[]
  readonly customer: Customer
  readonly chance: SeededChance
  /** Answers by status and route. */
  readonly counts: Map<string, number>
  isWriting: boolean
  /** Whether the last of what was begun while it was true has been answered. */
  isWritten: boolean
}

/** The answer of any of the instances; again while it is busy. */
export async function ask(
  { instances, customer: { token }, chance, counts }: AuditWork,
  ...[method, path, body]: readonly [method: string, path: string, body?: unknown]
): Promise<Received<Body>> {
  for (;;) {
    const sent = { token, ...(body !== undefined && { body }) }
    const answer = await chance.pick(instances).door.request<Body>(method, path, sent)
    const route = path.replace(/\?.*/, '').replace(/[a-z]{3}_[0-9a-z]{26}|a[0-9a-f]{6}\b/g, '…')
    const what = `${answer.status} ${method} ${route}`
    counts.set(what, (counts.get(what) ?? 0) + 1)
    if (answer.status !== 503 && answer.status !== 429) return answer
    await sleep(200)
  }
}

/** What must be answered; anything else is a fault. */
export async function expectAnswer(
  work: AuditWork,
  ...asked: readonly [method: string, path: string, body?: unknown]
): Promise<Body> {
  const { status, text, body } = await ask(work, ...asked)
  if (status < 300) return body ?? {}
  work.faults.push(`${asked[0]} ${asked[1]} was answered ${status} ${text}`)
  return {}
}

/** Everything of a kind as it is now, page by page. */
export async function askState(work: AuditWork, kind: string): Promise<void> {
  const path = `/v2/watch/audit/state?kind=${kind}&limit=50`
  const ids: string[] = []
  let body = await expectAnswer(work, 'GET', path)
  const asOf = Number(body['as_of'])
  for (;;) {
    ids.push(...((body['items'] ?? []) as { id: string }[]).map(({ id }) => id))
    const cursor = body['next_cursor']
    if (cursor === undefined) break
    body = await expectAnswer(work, 'GET', `${path}&cursor=${encodeURIComponent(String(cursor))}`)
  }
  work.states.push({ kind, asOf, ids })
}
