/** Evaluations as older versions of the product recorded them: shown and computed again like any other. */

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { decode, openEvent } from '../../src/events/catalogue.ts'
import type { RecordedEvidence } from '../../src/events/evaluation/evaluation.ts'
import { recordedItems } from '../../src/events/evaluation/evidenceRecord.ts'
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

/** What the evidence was before it stood in the order of the plan's names: everything by its name. */
const byName = (evidence: RecordedEvidence, names: readonly string[]): Json => {
  const { sources: _, values: __, items: ___, ...rest } = evidence
  const items = [...recordedItems(evidence, new Map(names.map((name, at) => [name, at])))]
  return { ...rest, items: items.map(([name, { value, source }]) => [name, value, source]) }
}

/** The record in the form that a version of the event had: a box for each field in the first, one for both from the second on. */
async function rewrite(id: string, version: number): Promise<void> {
  const at = shop.events.log.findIndex(({ stream }) => stream === `evaluation-${id}`)
  const recorded = shop.events.log[at] as RecordedEvent
  const { event } = await openEvent(decode(recorded), shop.keyring)
  const { evidence, phone_number, as_of, ...clear } = event.data as Json
  expect(as_of).toBe(0)
  const named = byName(evidence as RecordedEvidence, ['signal.ext.cart', 'signal.existing_user'])
  const { not_counted: _, ...unnoted } = named
  const older = version < 3 ? unnoted : named
  const metadata = JSON.parse(recorded.metadata) as Json
  const [subject] = metadata['subjects'] as [{ digest: string; key: string }]
  const key = shop.keyring.assign(subject.digest)
  const box = (value: unknown, field: string) =>
    seal(value, { event: recorded.id, field }, { key, nonce: shop.keyring.nonce() })
  const fields = ['phone_number', 'evidence']
  const both = box({ phone_number, evidence: older }, fields.join('+'))
  const boxes =
    version === 1
      ? { phone_number: box(phone_number, 'phone_number'), evidence: box(older, 'evidence') }
      : {
          phone_number: { sealed: { ...both.sealed, fields } },
          evidence: { sealed: { key: key.id, in: 'phone_number' } },
        }
  shop.events.log[at] = {
    ...recorded,
    data: JSON.stringify({ ...clear, ...boxes }),
    metadata: JSON.stringify({ ...metadata, version }),
  }
}

/** What is shown, the evidence by its names: its order is the record's. */
const shownOf = async (id: string): Promise<Json> => {
  const { status, body } = await send('GET', id)
  expect(status).toBe(200)
  const evidence = body['evidence'] as readonly { readonly name: string }[]
  return { ...body, evidence: new Map(evidence.map((item) => [item.name, item])) }
}

describe.each([1, 2, 6])('a record of version %i', (version) => {
  test('shows the same evidence and outcomes, and leaves open what was not noted', async () => {
    const id = await evaluated()
    const { not_counted, as_of, ...today } = await shownOf(id)
    await rewrite(id, version)

    const shown = await shownOf(id)

    expect(not_counted).toHaveLength(1)
    expect(as_of).toBe('0')
    expect(shown).toEqual(version < 3 ? today : { ...today, not_counted })
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

describe('a record whose plan in the log is another', () => {
  let id: string
  beforeEach(async () => {
    id = await evaluated()
    const { log } = shop.events
    for (const [at, recorded] of log.entries()) {
      if (recorded.type === 'FlowEvaluated' || recorded.stream.startsWith('rulebook')) continue
      log[at] = {
        ...recorded,
        data: recorded.data.replaceAll('signal.ext.cart', 'signal.ext.city'),
      }
    }
  })

  test('is said to differ there, and nothing is computed of it', async () => {
    const { body } = await send('POST', `${id}/replay`)

    expect(body).toMatchObject({ result: 'MISMATCH', differences: [{ path: 'plan' }] })
  })

  test('is not shown, since its evidence would stand under the names of another', async () => {
    const { status, text } = await send('GET', id)

    expect(status).toBe(503)
    expect(text).toContain('not the one that was recorded')
    expect(text).not.toContain('signal.ext')
  })
})
