/** Evaluations as older versions of the product recorded them: shown and computed again like any other. */

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { decode, openEvent } from '../../src/events/catalogue.ts'
import { seal } from '../../src/events/recording/sealing.ts'
import type { RecordedEvent } from '../../src/stores/eventStore.ts'
import { type MemoryShop, openMemoryShop } from './support/memoryShop.ts'

type Json = Record<string, unknown>

let shop: MemoryShop

beforeEach(async () => {
  shop = await openMemoryShop('signal.ext.cart == "7" && !signal.existing_user')
})

afterEach(() => shop.door.close())

const send = (method: string, path: string) =>
  shop.door.request<Json>(method, `/v2/watch/evaluations/${path}`, { token: shop.token })

async function evaluated(): Promise<string> {
  const { body } = await shop.door.request<Json>('POST', '/v2/watch/eval', {
    token: shop.token,
    body: {
      flow_id: shop.flow,
      target: { phone_number: '+33612345678' },
      signals: { ip: '192.0.2.1', existing_user: false, ext: { cart: '7' } },
    },
  })
  return String(body['id'])
}

/** The record in the form that a version of the event had: a box for each field in the first, one for both in the second. */
async function rewrite(id: string, version: number): Promise<void> {
  const at = shop.events.log.findIndex(({ stream }) => stream === `evaluation-${id}`)
  const recorded = shop.events.log[at] as RecordedEvent
  const { event } = await openEvent(decode(recorded), shop.keyring)
  const { evidence, phone_number, ...clear } = event.data as Json
  const { not_counted: _, ...older } = evidence as Json
  const metadata = JSON.parse(recorded.metadata) as Json
  const [subject] = metadata['subjects'] as [{ digest: string; key: string }]
  const key = shop.keyring.assign(subject.digest)
  const box = (value: unknown, field: string) =>
    seal(value, { event: recorded.id, field }, { key, nonce: shop.keyring.nonce() })
  const fields = ['phone_number', 'evidence']
  const both = box({ phone_number, evidence: older }, fields.join('+'))
  const boxes: Readonly<Record<number, object>> = {
    1: { phone_number: box(phone_number, 'phone_number'), evidence: box(older, 'evidence') },
    2: {
      phone_number: { sealed: { ...both.sealed, fields } },
      evidence: { sealed: { key: key.id, in: 'phone_number' } },
    },
  }
  shop.events.log[at] = {
    ...recorded,
    data: JSON.stringify({ ...clear, ...boxes[version] }),
    metadata: JSON.stringify({ ...metadata, version }),
  }
}

describe.each([1, 2])('a record of version %i', (version) => {
  test('shows the same evidence and outcomes, and leaves open what did not count', async () => {
    const id = await evaluated()
    const { not_counted, ...today } = (await send('GET', id)).body
    await rewrite(id, version)

    const { status, body } = await send('GET', id)

    expect(not_counted).toHaveLength(1)
    expect(status).toBe(200)
    expect(body).toEqual(today)
  })

  test('is computed again to the same bytes', async () => {
    const id = await evaluated()
    await rewrite(id, version)

    const { body } = await send('POST', `${id}/replay`)

    expect(body).toEqual({ result: 'MATCH', differences: [] })
  })
})

test('what did not count is forgotten together with the evidence, and the outcomes stay', async () => {
  const id = await evaluated()
  const before = (await send('GET', id)).body
  const subjects = shop.events.log.flatMap(({ stream, metadata }) =>
    stream === `evaluation-${id}` ? (JSON.parse(metadata) as Json)['subjects'] : [],
  ) as readonly { digest: string; key: string }[]
  for (const { digest, key } of subjects) await shop.keyring.destroy(digest, [key], 0)

  const { text, body } = await send('GET', id)

  expect(before['not_counted']).toEqual([
    { name: 'signal.ip', value: '192.0.2.1', source: 'request', reason: 'needs_dispatch' },
  ])
  expect(body).toMatchObject({
    verdict: 'FLAG',
    recipes: before['recipes'],
    evidence: { forgotten: true },
    not_counted: { forgotten: true },
    explanation: { forgotten: true },
  })
  expect(text).not.toContain('192.0.2.1')
})
