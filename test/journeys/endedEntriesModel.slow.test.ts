/** States and differences against a model, whatever ends an entry: removal, replacement, expiry, erasure. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { draws } from '../support/draws.ts'
import { openVigilOfFile } from '../support/openOfFile.ts'
import { type Customer, openCustomer } from '../support/openVigil.ts'
import { projectedHead } from '../support/projectedHead.ts'

const start = Date.UTC(2026, 10, 21, 9, 30)
const hourMs = 60 * 60_000
const phoneList = '/v2/verification/management/phone-numbers/block'
const vigil = await openVigilOfFile()

interface ModelEntry {
  readonly list: string
  readonly listedMs: number
  readonly expiresMs: number
  /** Erasures of the person before: what was listed before one is forgotten. */
  readonly erasures: number
}
type Model = ReadonlyMap<string, ModelEntry>
interface Point {
  readonly at: string
  readonly model: Model
}
const actions = ['list', 'list', 'end', 'unlist', 'erase', 'wait', 'wait'] as const
const step = fc.record({
  does: fc.constantFrom(...actions),
  value: fc.constantFrom('+33612345671', '+33612345672'),
  list: fc.nat(2),
})
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

const pathOf = (list: string) =>
  list === 'block' ? phoneList : `/v2/watch/management/lists/${list}/entries`
const named = (list: string, value: string) =>
  list === 'block' ? { phone_number: value } : { value }

interface World {
  readonly shop: Customer
  readonly lists: readonly string[]
  readonly there: Map<string, ModelEntry>
  readonly erasures: Map<string, number>
  nowMs: number
}

async function take(
  { shop, lists, there, erasures, ...world }: World,
  { does, value, list: index }: Step,
) {
  const list = lists[index] ?? 'block'
  const put = async (expiresMs: number, ending: object) => {
    await shop.send('POST', pathOf(list), { ...named(list, value), ...ending })
    const old = there.get(`${list} ${value}`)
    const listedMs = old && old.expiresMs > world.nowMs ? old.listedMs : world.nowMs
    there.set(`${list} ${value}`, { list, listedMs, expiresMs, erasures: erasures.get(value) ?? 0 })
  }
  const expiresMs = world.nowMs + 2 * hourMs + 1
  const carriedOut = {
    list: () => put(Infinity, {}),
    end: () => put(expiresMs, { expires_at: new Date(expiresMs).toISOString() }),
    unlist: async () => {
      await shop.send('DELETE', pathOf(list), named(list, value))
      there.delete(`${list} ${value}`)
    },
    erase: async () => {
      await shop.send('POST', '/v2/watch/subjects/erase', { phone_number: value })
      for (const one of lists) there.delete(`${one} ${value}`)
      erasures.set(value, (erasures.get(value) ?? 0) + 1)
    },
    // so that a point has this time
    wait: () => shop.rule('signal.ext.a == "1"'),
  }
  await carriedOut[does]()
}

/** What an answer says of each entry, page by page. */
async function ask(shop: Customer, question: string, says: 'content' | 'change') {
  const said: unknown[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const page = `kind=entry&limit=2${cursor && `&cursor=${cursor}`}`
    const { body } = await shop.send('GET', `/v2/watch/audit/${question}&${page}`)
    const items = (body['items'] ?? body['changes']) as readonly Record<string, unknown>[]
    said.push(...items.map((item) => item[says]))
    cursor = body['next_cursor'] as string | undefined
  }
  return said
}

function compare(from: Model, to: Model): string[] {
  return [...new Set([...from.keys(), ...to.keys()])].flatMap((key) => {
    const [before, after] = [from.get(key), to.get(key)]
    if (!before || !after) return [before ? 'removed' : 'added']
    return JSON.stringify(before) === JSON.stringify(after) ? [] : ['changed']
  })
}

test('states and differences are what the log gives, whatever ends an entry', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      vigil.setTime(start)
      const shop = await openCustomer(vigil)
      const lists = [
        'block',
        await shop.list('a', 'phone_number'),
        await shop.list('b', 'phone_number'),
      ]
      const world: World = { shop, lists, there: new Map(), erasures: new Map(), nowMs: start }
      const points: Point[] = []
      for (const one of steps) {
        if (one.does === 'wait') world.nowMs += hourMs
        vigil.setTime(world.nowMs)
        await take(world, one)
        const current = [...world.there].filter(([, { expiresMs }]) => expiresMs > world.nowMs)
        points.push({ at: String(await projectedHead(vigil)), model: new Map(current) })
      }
      for (const [index, { at, model }] of points.entries()) {
        const state = await ask(shop, `state?as_of=${at}`, 'content')
        expect(state.map((content) => Object(content).list).sort()).toEqual(
          [...model.values()].map(({ list }) => list).sort(),
        )
        for (const from of points.slice(0, index)) {
          const changes = await ask(shop, `difference?from=${from.at}&to=${at}`, 'change')
          expect(changes.toSorted()).toEqual(compare(from.model, model).sort())
        }
      }
    }),
    { numRuns: draws(40) },
  )
})
