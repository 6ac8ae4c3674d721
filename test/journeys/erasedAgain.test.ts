/** Erasures of the same person, and what others have since: counts are compared with the raw log. */

import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { unavailable } from '../../src/domain/failure.ts'
import { openVigilOfFile } from '../support/openOfFile.ts'
import { type Customer, openCustomer } from '../support/openVigil.ts'
import { newApp } from '../support/startSession.ts'
import { countErased, readErasureLog } from './support/countErased.ts'

const number = '+33612345678'
const otherNumber = '+33612345679'
const address = 'ann@example.com'
const otherAddress = 'bob@example.com'
const phone = { type: 'phone_number', value: number }
const mail = { type: 'email_address', value: address }

const vigil = await openVigilOfFile()
let shop: Customer
let flow: string
let app: string

beforeEach(async () => {
  shop = await openCustomer(vigil)
  flow = await shop.flowOf('signal.ip == "x"')
  app = await newApp(shop)
})

const evaluate = async (target: object, more: object = {}) =>
  String((await shop.evaluate(flow, { target, ...more })).body['id'])
const isReadable = async (id: string) =>
  (await shop.send('POST', `/v2/watch/evaluations/${id}/replay`)).status === 200
const newUser = async (...identifiers: readonly object[]) => {
  const { body, text } = await shop.send('POST', `${app}/users`, { identifiers })
  if (!body['id']) throw new Error(text)
  return `${app}/users/${body['id']}`
}
const byUser = (user: string) => {
  const [, , , , app_id, , user_id] = user.split('/')
  return { user: { app_id, user_id } }
}
const erase = (person: object, headers = {}) =>
  shop.send('POST', '/v2/watch/subjects/erase', person, headers)
const certify = async (person: object) => {
  const { status, body, text } = await erase(person)
  expect(status, text).toBe(200)
  return body
}
const counted = () => countErased(vigil, shop.accountId)

/** A user who has taken the number, with all that they have. */
async function takeNumber() {
  const user = await newUser(phone, { type: 'customer_user_id', value: 'bob' })
  const session = await shop.send('POST', `${user}/sessions`, {})
  const dispatch_id = await shop.dispatch({ ip: '203.0.113.9' })
  const evaluations = [
    await evaluate({ phone_number: number }, { dispatch_id }),
    await evaluate({ phone_number: number, email_address: otherAddress }),
  ]
  await shop.send('POST', '/v2/verification/management/phone-numbers/block', {
    phone_number: number,
  })
  const feedbacks = [{ target: phone, type: 'verification.started' }]
  await shop.send('POST', '/v2/watch/feedback', { feedbacks })
  const shown = (await shop.send('GET', user)).body
  expect(session.status).toBe(201)

  const expectWhole = async () => {
    const value = encodeURIComponent(number)
    expect((await shop.send('GET', user)).body).toEqual(shown)
    const found = await shop.send('GET', `${app}/users?type=phone_number&value=${value}`)
    expect(found.body).toEqual({ users: [shown] })
    const sessions = (await shop.send('GET', `${user}/sessions`)).body['sessions']
    expect(sessions).toHaveLength(1)
    expect((await shop.send('POST', `${user}/sessions`, {})).status).toBe(201)
    for (const id of evaluations) expect(await isReadable(id)).toBe(true)
    const lists = '/v2/verification/management/phone-numbers/block'
    expect((await shop.send('GET', lists)).text).toContain(number)
    expect((await shop.send('GET', '/v2/watch/feedback')).text).toContain(number)
  }
  return { user, expectWhole }
}

/** What a certificate counts. */
const countsOf = ({ keys, evaluations, dispatches, users, erasures }: Record<string, unknown>) => ({
  ...{ keys, evaluations, dispatches, users, erasures },
})

describe('given an erased user whose number somebody else has taken', () => {
  test.each([
    ['by their id', (user: string) => erase(byUser(user))],
    ['by their number', () => erase({ phone_number: number })],
    ['as a user only', (user: string) => shop.send('DELETE', user)],
  ])(
    'when they were erased %s and are erased again by their id, then the other one is left whole',
    async (_, first) => {
      const user = await newUser(phone, mail)
      await evaluate({ phone_number: number, email_address: address })
      await first(user)
      const { expectWhole } = await takeNumber()

      const again = [await certify(byUser(user)), await certify(byUser(user))]

      expect(again[1]).toMatchObject(countsOf(again[0] ?? {}))
      await expectWhole()
    },
  )

  test('when they are erased again by their id, then the certificate counts what was erased of them, and nothing of the other one', async () => {
    const user = await newUser(phone, mail)
    const elsewhere = await newApp(shop)
    const identifiers = [phone]
    await shop.send('POST', `${elsewhere}/users`, { identifiers })
    const dispatch_id = await shop.dispatch({ ip: '203.0.113.7' })
    await evaluate({ phone_number: number, email_address: address }, { dispatch_id })
    await evaluate({ email_address: address })
    const first = await certify(byUser(user))
    const byLog = await counted()
    const { expectWhole, user: other } = await takeNumber()

    const second = await certify(byUser(user))
    await expectWhole()
    await erase({ phone_number: number })
    const third = await certify(byUser(user))

    expect(countsOf(first)).toEqual(byLog)
    expect(first).toMatchObject({ evaluations: 2, dispatches: 1, users: 2 })
    expect(countsOf(second)).toEqual(countsOf(first))
    expect(countsOf(third)).toEqual(countsOf(first))
    expect((await shop.send('GET', other)).status).toBe(404)
  })

  test('when the number is erased, then whoever has it now is deleted whole, with all their identifiers', async () => {
    await erase(byUser(await newUser(phone, mail)))
    const { user } = await takeNumber()

    const certificate = await certify({ phone_number: number })

    expect((await shop.send('GET', user)).status).toBe(404)
    // both were users of the number
    expect(certificate).toMatchObject({ users: 2, evaluations: 2, dispatches: 1 })
    await newUser(phone, { type: 'customer_user_id', value: 'bob' })
  })

  test('when the request that erased them is sent again under its Idempotency-Key, then its certificate is answered and nothing is erased', async () => {
    const user = await newUser(phone, mail)
    const headers = { 'idempotency-key': 'once' }
    const first = await erase(byUser(user), headers)
    const { expectWhole } = await takeNumber()

    const again = await erase(byUser(user), headers)

    expect(again.body).toEqual(first.body)
    await expectWhole()
  })
})

test('given a user with a number and an address, when either is erased, then the user is deleted whole and both are free', async () => {
  for (const person of [{ phone_number: number }, { email_address: address }]) {
    const user = await newUser(phone, mail)

    const { users } = await certify(person)

    expect(Number(users)).toBeGreaterThan(0)
    expect((await shop.send('GET', user)).status).toBe(404)
    await shop.send('DELETE', await newUser(phone))
    await shop.send('DELETE', await newUser(mail))
  }
})

describe('given an erasure whose stores fail at any of its calls, and from there on', () => {
  /**
   * So many writes, or calls of any kind, still succeed; answers how to end it. What else the service does meanwhile
   * counts, too.
   */
  const failAfter = (calls: number, failing: 'writes' | 'all') => {
    const { context } = vigil.service
    const { events, keyring, documents } = context
    const { append, readStream, readNewEvents, head } = events
    const { destroy } = keyring
    let made = 0
    const counting =
      <Asked extends readonly unknown[], Answer>(work: (...asked: Asked) => Promise<Answer>) =>
      async (...asked: Asked) => {
        made += 1
        if (made > calls) throw unavailable('The disk is away.')
        return work(...asked)
      }
    Object.assign(events, { append: counting(append) })
    Object.assign(keyring, { destroy: counting(destroy) })
    if (failing === 'all') {
      const reads = { readStream: counting(readStream), head: counting(head) }
      Object.assign(events, { ...reads, readNewEvents: counting(readNewEvents) })
      const { get, find } = documents
      Object.assign(context, { documents: { get, find: counting(find) } })
    }
    return () => {
      Object.assign(events, { append, readStream, readNewEvents, head })
      Object.assign(keyring, { destroy })
      Object.assign(context, { documents })
    }
  }

  /** A user whom the shop has evaluated twice. */
  const openUser = async (phone_number: string, email_address: string) => {
    const user = await newUser(
      { type: 'phone_number', value: phone_number },
      { type: 'email_address', value: email_address },
    )
    const dispatch_id = await shop.dispatch({ ip: '203.0.113.7' })
    const evaluations = [
      await evaluate({ phone_number, email_address }, { dispatch_id }),
      await evaluate({ phone_number }),
    ]
    return { user, evaluations }
  }

  test('when it is sent again, though somebody else has the number by then, then it is finished and the other one left whole', async () => {
    let interrupted = 0
    for (let writes = 0, isOver = false; !isOver; writes += 1) {
      shop = await openCustomer(vigil)
      flow = await shop.flowOf('signal.ip == "x"')
      app = await newApp(shop)
      const { user, evaluations } = await openUser(number, address)

      const restore = failAfter(writes, 'writes')
      const { status } = await erase(byUser(user))
      restore()
      isOver = status === 200
      const isGone = (await shop.send('GET', user)).status === 404
      const taken =
        isGone && (await shop.send('POST', `${app}/users`, { identifiers: [phone] })).body['id']
      const certificate = await certify(byUser(user))

      if (!isOver) {
        interrupted += 1
        expect(status).toBe(503)
      }
      const byLog = await counted()
      expect(countsOf(certificate)).toEqual(byLog)
      expect(certificate).toMatchObject({ evaluations: 2, dispatches: 1, users: 1 })
      for (const id of evaluations) expect(await isReadable(id)).toBe(false)
      if (taken) expect((await shop.send('GET', `${app}/users/${taken}`)).status).toBe(200)
    }
    expect(interrupted).toBeGreaterThan(8)
  })

  test.each(['a number', 'a user'])(
    'when %s is erased and the request is sent again, then certificate and log are those of an undisturbed erasure',
    async (kind) => {
      const eraseInterrupted = async (calls: number) => {
        const phone_number = `+336123${10_000 + Math.min(calls, 99)}`
        const { user } = await openUser(phone_number, `ann${calls}@example.com`)
        const person = kind === 'a user' ? byUser(user) : { phone_number }
        const after = await vigil.service.context.events.head()
        const send = () => erase(person, { 'idempotency-key': `${calls}` })
        const restore = failAfter(calls, 'all')
        const { status } = await send()
        restore()
        const { body } = await send()
        const isInterrupted = status !== 200
        if (isInterrupted) expect(status).toBe(503)
        expect((await send()).body).toEqual(body)
        const log = await readErasureLog(vigil, shop.accountId, after)
        return { isInterrupted, erased: { ...countsOf(body), ...log } }
      }
      const { erased } = await eraseInterrupted(Number.POSITIVE_INFINITY)
      let interrupted = 0
      for (let isInterrupted = true; isInterrupted; interrupted += 1) {
        const played = await eraseInterrupted(interrupted)
        isInterrupted = played.isInterrupted
        expect(played.erased, `after ${interrupted} calls`).toEqual({
          ...erased,
          erasures: played.erased.logged,
          logged: played.erased.logged,
        })
      }
      expect(erased.log.at(-1)).toMatch(/^PersonErased /)
      expect(interrupted).toBeGreaterThan(30)
    },
  )
})

test('given another instance that puts the same erasure on record first, when this one comes to record it, then it stands there once', async () => {
  await evaluate({ phone_number: number })
  const { events: log } = vigil.service.context
  const { append } = log
  Object.assign(log, {
    append: async (asked: Parameters<typeof append>[0]) => {
      if (!asked.stream.startsWith('subject-')) return append(asked)
      Object.assign(log, { append })
      const events = asked.events.map((event) => ({ ...event, id: randomUUID() }))
      expect((await append({ ...asked, events })).ok).toBe(true)
      return append(asked)
    },
  })

  const certificate = await certify({ phone_number: number })

  expect(certificate['erasures']).toHaveLength(1)
  expect(countsOf(certificate)).toEqual(await counted())
})

describe('given evaluations of a number, of an address and of both', () => {
  const both = { phone_number: number, email_address: address }
  const rest = [
    { phone_number: number, email_address: otherAddress },
    { phone_number: otherNumber, email_address: otherAddress },
    { phone_number: otherNumber },
    { email_address: otherAddress },
  ]
  const evaluateAll = async () => {
    const ids: Record<string, string[]> = { both: [], number: [], address: [], rest: [] }
    const of = { both: [both, both, both], rest, number: [], address: [] }
    const alone = {
      number: [{ phone_number: number }, { phone_number: number }],
      address: [{ email_address: address }],
    }
    for (const [name, targets] of Object.entries({ ...of, ...alone })) {
      for (const target of targets) {
        const dispatch_id = await shop.dispatch({ ip: '203.0.113.7' })
        ids[name]?.push(await evaluate(target, { dispatch_id }))
      }
    }
    return ids
  }
  const readable = async (ids: readonly string[] = []) => {
    let count = 0
    for (const id of ids) if (await isReadable(id)) count += 1
    return count
  }

  test('when the address is erased, then those that named it are lost and counted, and no other', async () => {
    const ids = await evaluateAll()

    const certificate = await certify({ email_address: address })

    expect(countsOf(certificate)).toEqual(await counted())
    expect(certificate).toMatchObject({ evaluations: 4, dispatches: 4 })
    expect(await readable([...(ids['both'] ?? []), ...(ids['address'] ?? [])])).toBe(0)
    expect(await readable(ids['number'])).toBe(2)
    expect(await readable(ids['rest'])).toBe(4)
    const [first] = ids['both'] ?? []
    expect((await shop.send('GET', `/v2/watch/evaluations/${first}`)).text).not.toContain(number)
  })

  test('when the number is erased, then of those that named both the address is left', async () => {
    const ids = await evaluateAll()

    const certificate = await certify({ phone_number: number })

    expect(countsOf(certificate)).toEqual(await counted())
    expect(certificate).toMatchObject({ evaluations: 6, dispatches: 6 })
    expect(await readable(ids['address'])).toBe(1)
    // one of them has the number
    expect(await readable(ids['rest'])).toBe(3)
    const [first] = ids['both'] ?? []
    const shown = (await shop.send('GET', `/v2/watch/evaluations/${first}`)).text
    expect(shown).not.toContain(number)
    const history = `/v2/watch/audit/events?type=FlowEvaluated&email_address=${address}`
    const { events } = (await shop.send('GET', history)).body as {
      events: { content: Record<string, unknown> }[]
    }
    const forgotten = { forgotten: true }
    expect(events.map(({ content }) => content)).toMatchObject([
      ...(ids['both'] ?? []).map(() => ({
        email_address: address,
        phone_number: forgotten,
        evidence: forgotten,
      })),
      { email_address: address },
    ])
  })

  test('when the user of both is erased, then each is counted once', async () => {
    const ids = await evaluateAll()

    const certificate = await certify(byUser(await newUser(phone, mail)))

    const byLog = await counted()
    expect(countsOf(certificate)).toEqual(byLog)
    expect(certificate).toMatchObject({ evaluations: 7, dispatches: 7, users: 1 })
    expect(await readable(ids['rest'])).toBe(3)
  })

  test('when the number and then the address are erased, then all of it is gone, and each certificate says what it named', async () => {
    await evaluateAll()

    const first = await certify({ phone_number: number })
    const second = await certify({ email_address: address })
    const third = await certify({ phone_number: number })

    expect([first, second, third].map((one) => one['evaluations'])).toEqual([6, 4, 6])
    expect(await counted()).toMatchObject({ evaluations: 7, dispatches: 7 })
  })
})

describe('given a user who is erased, when the reason of another erasure could name them', () => {
  test.each([
    [400, 'of +33 6 12 34 56 78'],
    [400, 'of ann@example.com'],
    [200, 'Ticket 4711'],
  ])('then it is answered %i: %s', async (status, reason) => {
    const user = await newUser(phone, mail)
    await erase(byUser(user))

    expect((await erase({ ...byUser(user), reason })).status).toBe(status)
  })

  test('then a reason with the address of the user who has the number is refused, and nothing is erased', async () => {
    const user = await newUser(phone, mail)

    const { status } = await erase({ phone_number: number, reason: 'of ANN ＠ example.com' })

    expect(status).toBe(400)
    expect((await shop.send('GET', user)).status).toBe(200)
    expect(await counted()).toMatchObject({ keys: 0, users: 0 })
  })
})

describe('given a person who has sent dispatches', () => {
  /** What erasing them asks of the key store and of the read models' progress. */
  const countCalls = async (dispatches: number) => {
    for (let n = 0; n < dispatches; n += 1) {
      const dispatch_id = await shop.dispatch({ ip: '203.0.113.7' })
      await evaluate({ phone_number: number }, { dispatch_id })
    }
    const { keyring, projections } = vigil.service.context
    const destroy = vi.spyOn(keyring, 'destroy')
    const waitFor = vi.spyOn(projections, 'waitFor')
    const certificate = await certify({ phone_number: number })
    const [destroyed, waited] = [destroy.mock.calls.length, waitFor.mock.calls.length]
    destroy.mockRestore()
    waitFor.mockRestore()
    return { certificate, destroyed, waited }
  }

  test('when they are erased, then many dispatches take no more calls than one', async () => {
    const { destroyed: ofOne } = await countCalls(1)

    const { destroyed, waited, certificate } = await countCalls(40)

    expect(destroyed).toBe(ofOne)
    expect(waited).toBeLessThan(10)
    expect(certificate).toMatchObject({ dispatches: 41, evaluations: 41 })
    expect(countsOf(certificate)).toEqual(await counted())
  })
})
