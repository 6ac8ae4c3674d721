/**
 * Erasures beside everything that depends on them: whatever happens between which of their steps, it is as if one came
 * after the other.
 */

import { AsyncLocalStorage } from 'node:async_hooks'
import { isDeepStrictEqual } from 'node:util'
import { expect, test } from 'vitest'
import { openVigilOfFile } from '../support/openOfFile.ts'
import { openCustomer } from '../support/openVigil.ts'
import { newApp } from '../support/startSession.ts'
import { countErased } from './support/countErased.ts'

const phone_number = '+33612345678'
const email_address = 'ann@example.com'
const phone = { type: 'phone_number', value: phone_number }
const mail = { type: 'email_address', value: email_address }

const vigil = await openVigilOfFile()
const { context } = vigil.service

/** Who is erased: known as a user of an application, by evaluations, reports and a list. */
async function openShop() {
  const shop = await openCustomer(vigil)
  const flow = await shop.flowOf('list.block', 'signal.ip == "x"')
  const [app, secondApp] = [await newApp(shop), await newApp(shop)]
  const { body } = await shop.send('POST', `${app}/users`, { identifiers: [phone, mail] })
  const list = await shop.list('vip', 'phone_number')
  const dispatch_id = await shop.dispatch({ ip: '203.0.113.7' })
  const evaluate = async (target: object, more: object = {}) =>
    String((await shop.evaluate(flow, { target, ...more })).body['id'])
  const both = { phone_number, email_address }
  const evaluations = [
    await evaluate(both, { dispatch_id }),
    await evaluate({ phone_number }),
    await evaluate({ email_address }),
  ]
  const feedbacks = [{ target: phone, type: 'verification.started' }]
  await shop.send('POST', '/v2/watch/feedback', { feedbacks })
  const user = `${app}/users/${body['id']}`
  return { shop, app, secondApp, list, user, evaluations, evaluate, both, feedbacks }
}
type Shop = Awaited<ReturnType<typeof openShop>>

/** What is there of the person at the end, and of what was written beside the erasure. */
async function observe({ shop, app, secondApp, list, evaluations }: Shop) {
  const replays: unknown[] = []
  for (const id of evaluations) {
    replays.push((await shop.send('POST', `/v2/watch/evaluations/${id}/replay`)).status)
  }
  const tell = async (path: string) => {
    const { text } = await shop.send('GET', path)
    return [phone_number, email_address, '203.0.113'].filter((one) => text.includes(one))
  }
  const value = encodeURIComponent(phone_number)
  const found = async (of: string) => {
    const { body } = await shop.send('GET', `${of}/users?type=phone_number&value=${value}`)
    return (body['users'] as readonly { readonly identifiers: unknown }[]).map(
      (one) => one.identifiers,
    )
  }
  return {
    replays,
    users: [await found(app), await found(secondApp)],
    listed: await tell('/v2/verification/management/phone-numbers/block'),
    named: await tell(`/v2/watch/management/lists/${list}/entries`),
    feedback: await tell('/v2/watch/feedback'),
    events: await tell('/v2/watch/event'),
  }
}

const inQueue = new AsyncLocalStorage<boolean>()

/** Streams that erasing a person writes to, one after the other. */
const erased = /^(user|identifier|subject|erasure)-/

/**
 * Runs the work, and what is to happen before so many of its calls of the stores. Not while it has a queue that the
 * other may need: it would wait for it. Answers whether there were as many calls.
 */
async function runWith(
  work: () => Promise<unknown>,
  { calls, between, writes }: { calls: number; between: () => Promise<unknown>; writes: boolean },
): Promise<boolean> {
  const { events, keyring, streamQueue, projections } = context
  const { append, readStream, readNewEvents, head } = events
  const { destroy } = keyring
  const { run } = streamQueue
  const { documents } = context
  let left = calls
  let happening: Promise<unknown> | undefined
  const step = async (): Promise<void> => {
    if (inQueue.getStore()) return
    left -= 1
    if (left !== -1) return
    happening = between()
    await happening
  }
  const stepping =
    <Asked extends readonly unknown[], Answer>(call: (...asked: Asked) => Promise<Answer>) =>
    async (...asked: Asked) => {
      await step()
      return call(...asked)
    }
  Object.assign(events, {
    readStream: stepping(readStream),
    // whoever asks for the same stream meanwhile waits for the same read
    readNewEvents: async (...asked: Parameters<typeof readNewEvents>) => {
      if (!erased.test(asked[0])) await step()
      return readNewEvents(...asked)
    },
    head: stepping(head),
    // what is sealed and what is appended are one step: nothing comes between them
    ...(writes && { append: stepping(append) }),
  })
  if (writes) Object.assign(keyring, { destroy: stepping(destroy) })
  const { get, find } = documents
  Object.assign(context, { documents: { get, find: stepping(find) } })
  Object.assign(streamQueue, {
    run: async (key: string, turn: () => Promise<unknown>) => {
      await step()
      const isHeld = inQueue.getStore() === true || erased.test(key)
      return run(key, () => inQueue.run(isHeld, turn))
    },
  })
  try {
    await work()
    await happening
  } finally {
    Object.assign(events, { append, readStream, readNewEvents, head })
    Object.assign(keyring, { destroy })
    Object.assign(context, { documents })
    Object.assign(streamQueue, { run })
  }
  await projections.waitFor(await head(), 10_000)
  return left < 0
}

/** What somebody does beside the erasure; answers what the caller is told. */
const writes: Readonly<Record<string, (shop: Shop) => Promise<unknown>>> = {
  'an evaluation of number and address': async ({ shop, evaluate, evaluations, both }) => {
    const dispatch_id = await shop.dispatch({ ip: '203.0.113.8' })
    evaluations.push(await evaluate(both, { dispatch_id }))
  },
  'an entry of a list': async ({ shop }) =>
    (
      await shop.send('POST', '/v2/verification/management/phone-numbers/block', {
        phone_number,
        reason: phone_number,
      })
    ).status,
  'an entry of a named list': async ({ shop, list }) =>
    (await shop.send('POST', `/v2/watch/management/lists/${list}/entries`, { value: phone_number }))
      .status,
  feedback: async ({ shop, feedbacks }) =>
    (await shop.send('POST', '/v2/watch/feedback', { feedbacks })).status,
  'a user of the same application': async ({ shop, app }) =>
    (await shop.send('POST', `${app}/users`, { identifiers: [phone] })).status,
  'a user of another application': async ({ shop, secondApp }) =>
    (await shop.send('POST', `${secondApp}/users`, { identifiers: [phone, mail] })).status,
  'a session of the user': async ({ shop, user }) => {
    // started, or refused: before it is begun, or because the user is found deleted once it is recorded
    await shop.send('POST', `${user}/sessions`, {})
  },
  'a deletion of the user': async ({ shop, user }) => (await shop.send('DELETE', user)).status,
  'a replay of everything': async ({ shop }) => {
    const path = '/v2/watch/audit/replays'
    const { body } = await shop.send('POST', path)
    await context.background.settled()
    const ended = (await shop.send('GET', `${path}/${body['id']}`)).body
    const { state, match, mismatch, evidence_erased: erased } = ended
    return [state, mismatch, Number(match) + Number(erased)]
  },
  'the same erasure': async ({ shop }) =>
    (await shop.send('POST', '/v2/watch/subjects/erase', { phone_number })).status,
}

const persons: Readonly<Record<string, (shop: Shop) => object>> = {
  'a number': () => ({ phone_number }),
  'an address': () => ({ email_address }),
  'a user': ({ user }) => {
    const [, , , , app_id, , user_id] = user.split('/')
    return { user: { app_id, user_id } }
  },
}

type Order = (
  erase: () => Promise<unknown>,
  write: () => Promise<unknown>,
) => Promise<boolean | undefined>

/** One erasure and one write in a shop of their own, and what comes of it. */
async function play(
  { person, write }: { readonly person: keyof typeof persons; readonly write: keyof typeof writes },
  order: Order,
) {
  const begin = await context.events.head()
  const shop = await openShop()
  let told: unknown
  let certificate: Record<string, unknown> = {}
  const isReached = await order(
    async () => {
      const asked = persons[person]?.(shop) ?? {}
      const answer = await shop.shop.send('POST', '/v2/watch/subjects/erase', asked)
      expect(answer.status, answer.text).toBe(200)
      certificate = answer.body
    },
    async () => {
      told = await writes[write]?.(shop)
    },
  )
  const { keys, evaluations, dispatches, users } = certificate
  const byLog = await countErased(vigil, shop.shop.accountId, begin)
  const outcome = {
    certificate: { keys, evaluations, dispatches, users },
    told,
    ...(await observe(shop)),
  }
  return { isReached, outcome, byLog }
}

const evaluation = 'an evaluation of number and address'

/** What depends on a number depends on an address the same way. */
const pairs = [
  ...Object.keys(writes).map((write) => ['a number', write] as const),
  ...[evaluation, 'a user of another application'].map((write) => ['an address', write] as const),
  ...[evaluation, 'a user of the same application', 'a session of the user'].map(
    (write) => ['a user', write] as const,
  ),
]

test.each(pairs)(
  'given an erasure by %s, when %s comes between any two of its steps or it between theirs, then it is as if one came after the other',
  async (person, write) => {
    const serial: Order[] = [
      async (erase, then) => {
        await erase()
        await then()
        return undefined
      },
      async (erase, first) => {
        await first()
        await erase()
        return undefined
      },
    ]
    const allowed: unknown[] = []
    for (const order of serial) allowed.push((await play({ person, write }, order)).outcome)
    const orders: ((calls: number) => Order)[] = [
      (calls) => (erase, between) => runWith(erase, { calls, between, writes: true }),
      (calls) => (between, work) => runWith(work, { calls, between, writes: false }),
    ]
    for (const orderAt of orders) {
      for (let calls = 0, isReached: boolean | undefined = true; isReached; calls += 1) {
        const played = await play({ person, write }, orderAt(calls))
        isReached = played.isReached
        if (!isReached) continue
        const { evaluations, dispatches, users } = played.byLog
        expect(played.outcome.certificate).toMatchObject({ evaluations, dispatches, users })
        if (!allowed.some((one) => isDeepStrictEqual(one, played.outcome))) {
          expect([played.outcome], `before call ${calls}`).toEqual(allowed)
        }
      }
    }
  },
)
