/** The writers that auditors look at: evaluations, lists, feedback, rules, applications, users and erasures. */

import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type AuditWork, ask, askState, expectAnswer, type Person } from './auditWork.ts'

const people = 40
const evaluators = 6
/** A writer rests so long between two requests: two processors are shared with the followers. */
const restMs = 20
/**
 * Evaluations that a follower may be behind before writers let it catch up: the followers ask for short pages, on a
 * machine that may be slow.
 */
const behindMax = 500

const phone = (n: number): Person => ({
  field: 'phone_number',
  value: `+336${String(10_000_000 + n)}`,
})
const email = (n: number): Person => ({ field: 'email_address', value: `p${n}@shop.example` })

/** Each fourth is known by the address alone. */
export function person(n: number): Person {
  return n % 4 === 0 ? email(n) : phone(n)
}

/** What is done again and again, and the rest after each time, in milliseconds. */
export async function openWriters(
  work: AuditWork,
): Promise<readonly (readonly [what: () => Promise<unknown>, pauseMs: number])[]> {
  const { customer } = work
  const flow = await customer.flowOf('list.block', 'signal.ext.cart == "7"')
  const list = await customer.list('watched', 'phone_number')
  const blocked = '/v2/verification/management/phone-numbers/block'
  const entries = `/v2/watch/management/lists/${list}/entries`
  const apps: string[] = []
  return [
    ...Array.from({ length: evaluators }, () => [() => evaluate(work, flow), restMs] as const),
    [
      () => expectAnswer(work, work.chance.pick(['POST', 'POST', 'DELETE']), blocked, entry(work)),
      200,
    ],
    [() => expectAnswer(work, 'POST', entries, { value: entry(work).phone_number }), 200],
    [() => sendFeedback(work), 200],
    [() => createUser(work, apps), 200],
    [() => changeRules(work), 3_000],
    [() => registerApp(work, apps), 5_000],
    [() => erase(work), 2_000],
  ]
}

function anyone({ chance }: AuditWork): number {
  return Math.floor(chance.between(0, people))
}

function entry(work: AuditWork): { readonly phone_number: string } {
  return { phone_number: phone(anyone(work)).value }
}

async function evaluate(work: AuditWork, flow_id: string): Promise<void> {
  while (work.isWriting && isFollowerBehind(work)) await sleep(100)
  const n = anyone(work)
  const persons = n % 4 === 2 ? [phone(n), email(n)] : [person(n)]
  const dispatch_id = n % 5 === 0 ? await work.customer.dispatch({ ip: '203.0.113.7' }) : undefined
  const body = await expectAnswer(work, 'POST', '/v2/watch/eval', {
    flow_id,
    target: Object.fromEntries(persons.map(({ field, value }) => [field, value])),
    signals: { ext: { cart: String(n) } },
    ...(dispatch_id !== undefined && { dispatch_id }),
  })
  work.evaluated.set(String(body['id']), persons)
}

function isFollowerBehind({ evaluated, followed }: AuditWork): boolean {
  return followed.some(
    ({ wanted, positions }) =>
      wanted.type === 'FlowEvaluated' && evaluated.size - positions.length > behindMax,
  )
}

function sendFeedback(work: AuditWork): Promise<unknown> {
  const target = { type: 'phone_number', value: phone(anyone(work)).value }
  const feedbacks = [{ target, type: 'verification.started' }]
  return expectAnswer(work, 'POST', '/v2/watch/feedback', { feedbacks })
}

async function createUser(work: AuditWork, apps: readonly string[]): Promise<void> {
  const [app] = apps
  if (app === undefined) return
  const { field: type, value } = person(anyone(work))
  const asked = [`/v2/session/apps/${app}/users`, { identifiers: [{ type, value }] }] as const
  const { status, text } = await ask(work, 'POST', ...asked)
  // somebody has the identifier already
  if (status >= 300 && status !== 409) work.faults.push(`a user was refused: ${text}`)
}

async function changeRules(work: AuditWork): Promise<void> {
  const id = await work.customer.rule(`signal.ext.cart == "${randomUUID()}"`, randomUUID())
  if (work.chance.pick([true, false])) {
    await expectAnswer(work, 'DELETE', `/v2/watch/management/rules/${id}`)
  }
}

/** Asks at once for the applications, which the read models have hardly seen. */
async function registerApp(work: AuditWork, apps: string[]): Promise<void> {
  const app_id = `a${randomUUID().slice(0, 6)}`
  await expectAnswer(work, 'POST', '/v2/session/apps', { name: 'An app', app_id })
  apps.push(app_id)
  await askState(work, 'application')
}

async function erase(work: AuditWork): Promise<void> {
  const one = person(anyone(work))
  const body = { [one.field]: one.value }
  const certificate = await expectAnswer(work, 'POST', '/v2/watch/subjects/erase', body)
  work.certified.push({ person: one, certificate })
}
