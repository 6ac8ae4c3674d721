/** What callers see when the MongoDB in MONGODB_URL is away for longer than the stock of sealing keys lasts. */

import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Received } from '../http/support/sendRequest.ts'
import { type Customer, openCustomer, openVigil, type Vigil } from '../support/openVigil.ts'
import { mongoUrl, newDatabase } from './newDatabase.ts'
import { proxyTo } from './proxyTo.ts'

const keyPoolSize = 64

interface Shop extends Customer {
  /** Of the person with this number. */
  readonly score: (number: number) => Promise<Received<Record<string, unknown>>>
}

async function openShop(vigil: Vigil): Promise<Shop> {
  const customer = await openCustomer(vigil)
  const flow = await customer.flowOf('signal.existing_user')
  const score: Shop['score'] = (number) =>
    customer.evaluate(flow, { target: { phone_number: `+336${10_000_000 + number}` } })
  return { ...customer, score }
}

interface UntilRefused {
  readonly answered: readonly string[]
  readonly refused: Received<Record<string, unknown>>
}

/** New persons, until one of them is refused. */
async function scoreUntilRefused({ score }: Shop): Promise<UntilRefused> {
  const answered: string[] = []
  for (let number = 1; number <= 2 * keyPoolSize; number += 1) {
    const answer = await score(number)
    if (answer.status !== 200) return { answered, refused: answer }
    answered.push(String(answer.body['id']))
  }
  throw new Error('nobody was refused')
}

const eventually = (holds: () => Promise<void>): Promise<void> =>
  vi.waitFor(holds, { timeout: 60_000, interval: 200 })

describe.skipIf(mongoUrl === '')('MONGODB_URL', () => {
  test('given MongoDB is away and no sealing key is left, when new persons come, then they are refused with 503, those who are known are answered, and no answer given is lost', async () => {
    const { url } = newDatabase()
    const [proxy, mongoDbUrl] = await proxyTo(url)
    const vigil = await openVigil({ mongoDbUrl, keyPoolSize })
    onTestFinished(() => vigil.close())
    const shop = await openShop(vigil)
    const known = await shop.score(0)
    proxy.cut()

    const { answered, refused } = await scoreUntilRefused(shop)

    expect(answered.length).toBeGreaterThan(keyPoolSize / 2)
    expect(refused).toMatchObject({
      status: 503,
      headers: { 'retry-after': '1' },
      body: { code: 'unavailable', message: 'No sealing key is ready; try again.' },
    })
    const again = await shop.score(0)
    expect([known.status, again.status]).toEqual([200, 200])
    // the keys may be gone before MongoDB is given up: the driver waits a while for another server
    await eventually(async () => {
      const ready = await vigil.door.request<Record<string, unknown>>('GET', '/health/ready')
      expect(ready).toMatchObject({ status: 503, body: { stores: { keys: 'failing' } } })
    })

    proxy.thaw()
    await eventually(async () => expect((await shop.score(1_000)).status).toBe(200))
    for (const id of [String(again.body['id']), ...answered]) {
      const { status, text } = await shop.send('GET', `/v2/watch/evaluations/${id}`)
      expect([status, text.includes('+336')]).toEqual([200, true])
    }
  })
})
