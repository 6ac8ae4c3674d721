/** Saved searches, and reviews of what they find: one person at a time, on record as labels. */

import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { takeReview } from '../../src/commands/analysis/reviews.ts'
import { decode } from '../../src/events/catalogue.ts'
import { openTwoInstances } from '../support/openTwoInstances.ts'
import { type Customer, openCustomer, openVigil, sendAs, type Vigil } from '../support/openVigil.ts'
import { projectedHead } from '../support/projectedHead.ts'

type Body = Record<string, unknown>
type Send = ReturnType<typeof sendAs>

const path = '/v2/watch/management/searches'
const start = Date.UTC(2026, 10, 21, 9)
const minute = 60_000

let vigil: Vigil
let shop: Customer
let flow = ''
let search = ''
let other: Send
let evaluations: string[] = []
let nowMs = start

const wait = (ms: number) => {
  nowMs += ms
  vigil.setTime(nowMs)
}

async function signUp(count: number, customer = shop): Promise<string[]> {
  const ids: string[] = []
  for (let index = 0; index < count; index += 1) {
    if (customer === shop) wait(minute)
    const target = { phone_number: `+3361234567${index}` }
    ids.push(String((await customer.evaluate(flow, { target })).body['id']))
  }
  return ids
}

const take = async (send: Send, evaluation_id?: string, of = search) => {
  const asked = evaluation_id === undefined ? {} : { evaluation_id }
  const { status, body } = await send('POST', `${path}/${of}/review/take`, asked)
  const review = body['review'] as Body | undefined
  return { status, id: review?.['evaluation_id'], review, message: String(body['message']) }
}
const answer = (
  send: Send,
  evaluation_id: unknown,
  said: string | { answer: string; note: string },
) =>
  send('POST', `${path}/${search}/review/answer`, {
    evaluation_id,
    ...(typeof said === 'string' ? { answer: said } : said),
  })
const queue = async (send: Send) =>
  (await send('GET', `${path}/${search}/review`)).body['waiting'] as readonly Body[]
const found = async (where: string) => {
  const query = new URLSearchParams({ where, order: 'oldest' })
  const { body } = await shop.send('GET', `/v2/watch/evaluations?${query}`)
  return (body['evaluations'] as readonly Body[]).map(({ id }) => id)
}
const labels = async () =>
  (await shop.send('GET', '/v2/watch/event?order=oldest')).body['events'] as readonly Body[]

beforeEach(async () => {
  vigil = await openVigil()
  nowMs = start
  vigil.setTime(nowMs)
  shop = await openCustomer(vigil)
  flow = await shop.flowOf('1 == 1')
  evaluations = await signUp(3)
  const saved = await shop.send('POST', path, { name: 'All', where: 'verdict = FLAG' })
  search = String(saved.body['id'])
  other = sendAs(vigil, await shop.tokenWith(['analyse', 'feedback']))
  await projectedHead(vigil)
})

describe('a saved search', () => {
  test('is listed with its conditions, and gone once it is deleted', async () => {
    const listed = await shop.send('GET', path)
    const deleted = await shop.send('DELETE', `${path}/${search}`)
    const again = await shop.send('DELETE', `${path}/${search}`)

    expect(listed.body).toEqual({
      searches: [{ id: search, name: 'All', where: 'verdict = FLAG' }],
    })
    expect([deleted.status, again.status]).toEqual([204, 404])
    expect((await shop.send('GET', path)).body).toEqual({ searches: [] })
  })

  test.each(['phone = +33612345670', 'signal.ip = 192.0.2.1', 'verdict == FLAG', 'nothing = 1'])(
    'is refused with the conditions %s',
    async (where) => {
      const { status, body } = await shop.send('POST', path, { name: 'Other', where })

      expect([status, body['code']]).toEqual([400, 'invalid_request'])
      expect(body['details']).toMatchObject([{ path: 'where' }])
    },
  )

  test('has a name of its own, and is one of two hundred at most', async () => {
    const same = await shop.send('POST', path, { name: 'All' })
    for (let index = 1; index < 200; index += 1) {
      await shop.send('POST', path, { name: `Search ${index}` })
    }
    const beyond = await shop.send('POST', path, { name: 'One more' })

    expect([same.status, beyond.status]).toEqual([409, 409])
    expect(beyond.body['message']).toContain('200')
  })
})

describe('what a search finds', () => {
  test('is taken the oldest first, by one person each', async () => {
    const [mine, theirs] = [await take(shop.send), await take(other)]

    expect([mine.id, theirs.id]).toEqual(evaluations.slice(0, 2))
    expect((await take(shop.send)).id).toBe(mine.id)
    expect((await take(other, String(mine.id))).status).toBe(409)
    expect(await queue(shop.send)).toMatchObject([
      { evaluation_id: evaluations[0], claim: { by: shop.tokenId } },
      { evaluation_id: evaluations[1], claim: { evaluation_id: evaluations[1] } },
      { evaluation_id: evaluations[2] },
    ])
  })

  test('is kept for ten minutes from when it was last taken, then it is anybody’s', async () => {
    await take(shop.send)
    wait(9 * minute)
    const kept = await take(shop.send, evaluations[0])
    wait(9 * minute)
    const early = await take(other, evaluations[0])
    wait(minute)
    const late = await take(other, evaluations[0])
    const answered = await answer(shop.send, evaluations[0], 'fraud')

    expect([kept.status, early.status, late.status]).toEqual([200, 409, 200])
    expect(kept.review?.['taken_at']).toBe(new Date(nowMs - 19 * minute).toISOString())
    expect(answered.status).toBe(409)
    expect(await labels()).toEqual([])
  })

  test('is answered by who has it alone, and not before it was taken', async () => {
    const before = await answer(shop.send, evaluations[0], 'fraud')
    await take(shop.send)
    const theirs = await answer(other, evaluations[0], 'fraud')

    expect([before.status, theirs.status]).toEqual([409, 409])
    expect(await labels()).toEqual([])
  })

  test('waits no longer once it is answered; the label names evaluation, note, actor and time', async () => {
    await take(shop.send)
    const answered = await answer(shop.send, evaluations[0], {
      answer: 'fraud',
      note: 'Seen before.',
    })
    const next = await take(shop.send)

    expect(answered.body).toMatchObject({ label: 'review.fraud', by: shop.tokenId })
    expect(next.id).toBe(evaluations[1])
    expect(await labels()).toMatchObject([
      { label: 'review.fraud', evaluation_id: evaluations[0], note: 'Seen before.' },
    ])
    const log = (await vigil.service.context.events.readAll({ after: 0, limit: 1_000 })).map(decode)
    const label = log.find(({ event }) => event.type === 'EventReported')
    expect(label?.metadata).toMatchObject({ actor: shop.tokenId, time: nowMs })
    expect(JSON.stringify(log)).not.toContain('Seen before')
    expect(await found('class = fraud')).toEqual([evaluations[0]])
    expect(await found('review = none')).toEqual(evaluations.slice(1))
  })

  test('has the class of its last answer alone; one that is withdrawn waits again', async () => {
    await take(shop.send)
    await answer(shop.send, evaluations[0], 'fraud')
    wait(1)
    await answer(shop.send, evaluations[0], 'unsure')
    wait(1)
    const unsure = [await found('class = fraud'), await found('review = unsure')]
    await answer(shop.send, evaluations[0], 'withdrawn')

    expect(unsure).toEqual([[], [evaluations[0]]])
    expect(await found('review = none')).toEqual(evaluations)
    expect((await take(other)).id).toBe(evaluations[0])
    expect((await labels()).map(({ label }) => label)).toEqual([
      'review.fraud',
      'review.unsure',
      'review.withdrawn',
    ])
  })

  test('of another account or of a search that there is not cannot be taken', async () => {
    const stranger = await openCustomer(vigil)
    const own = await stranger.send('POST', path, { name: 'All' })

    const foreign = await take(stranger.send, evaluations[0], String(own.body['id']))
    const unknown = await take(stranger.send, undefined, search)

    const never = await take(shop.send, evaluations[0], `sch_${'0'.repeat(26)}`)

    expect([foreign.status, unknown.status, never.status]).toEqual([404, 404, 404])
    expect(await take(stranger.send, undefined, String(own.body['id']))).toMatchObject({
      status: 200,
      review: undefined,
    })
  })

  test('of an erased person is not asked for', async () => {
    await shop.send('POST', '/v2/watch/subjects/erase', { phone_number: '+33612345670' })
    await projectedHead(vigil)

    expect((await take(shop.send)).id).toBe(evaluations[1])
    expect((await take(shop.send, evaluations[0])).status).toBe(410)
  })
})

test('given two instances and eight persons who take at once, when each answers, then no two had the same one', async () => {
  const { a, b } = await openTwoInstances()
  const customer = await openCustomer(a)
  flow = await customer.flowOf('1 == 1')
  const candidates = await signUp(9, customer)
  search = String((await customer.send('POST', path, { name: 'All' })).body['id'])
  const people = await Promise.all(
    Array.from({ length: 8 }, async (_, index) => {
      const { context, door } = index % 2 === 0 ? a : b
      const token = await customer.tokenWith(['analyse', 'feedback'])
      const tokenId = String(
        (await door.request<Body>('GET', '/v2/whoami', { token })).body['token_id'],
      )
      const principal = {
        kind: 'account',
        accountId: customer.accountId,
        tokenId,
        scopes: [],
      } as const
      return { context, principal, send: sendAs({ door }, token) }
    }),
  )

  const taken = await Promise.all(
    people.map(({ context, principal }) => {
      const call = { principal, requestId: randomUUID() }
      return takeReview(context, call, { search_id: search, candidates })
    }),
  )
  const ids = taken.map(({ value }) => value.review?.evaluation_id)
  const stolen = await answer(people[0]?.send as Send, ids[1], 'fraud')
  const answered = await Promise.all(
    people.map(({ send }, index) => answer(send, ids[index], 'legitimate')),
  )

  expect(ids.toSorted()).toEqual(candidates.slice(0, 8).toSorted())
  expect(stolen.status).toBe(409)
  expect(answered.map(({ status }) => status)).toEqual(people.map(() => 200))
})
