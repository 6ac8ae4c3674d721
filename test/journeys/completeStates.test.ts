/** What is answered about a point in time is all that there was then, and stays so. */

import { expect, onTestFinished, test, vi } from 'vitest'
import { readConfigurationChanges } from '../../src/queries/audit/configuration/configurationChanges.ts'
import { openConfigurationChangeCache } from '../../src/queries/audit/configuration/findConfiguration.ts'
import type { EventStore } from '../../src/stores/eventStore.ts'
import { load } from '../support/load.ts'
import { openTwoInstances } from '../support/openTwoInstances.ts'
import { type Customer, openCustomer, openVigil } from '../support/openVigil.ts'

interface Answer {
  readonly status: number
  readonly body: {
    readonly items?: readonly { readonly id: string }[]
    readonly changes?: readonly { readonly id: string }[]
    readonly next_cursor?: string
  }
}
const ask = async ({ send }: Customer, question: string): Promise<Answer> => {
  const { status, body } = await send('GET', `/v2/watch/audit/${question}`)
  return { status, body }
}
const idsOf = ({ body }: Answer) => (body.items ?? body.changes ?? []).map(({ id }) => id)

test('an application whose registration the read models have not seen yet is in no answer left out', async () => {
  const { a } = await openTwoInstances()
  const shop = await openCustomer(a)
  const questions = ['state?kind=application', 'difference?kind=application&from=1', 'state']

  a.projecting.freeze()
  const { body } = await shop.send('POST', '/v2/session/apps', { name: 'Shop' })
  const early = await Promise.all(questions.map((question) => ask(shop, question)))
  a.projecting.thaw()

  expect(early.map(({ status }) => status)).toEqual([503, 503, 503])
  for (const question of questions) {
    expect(idsOf(await ask(shop, question)), question).toContain(body['app_id'])
  }
})

test('given a page of a state, when the next one is asked of an instance that is behind, then it waits two seconds and is not answered without what it lacks', async () => {
  const { a } = await openTwoInstances()
  const shop = await openCustomer(a)
  for (const name of ['One', 'Two']) await shop.send('POST', '/v2/session/apps', { name })
  const question = 'state?kind=application&limit=1'
  const { body } = await ask(shop, question)

  const isBehind = vi.spyOn(a.context.projections, 'waitFor').mockResolvedValue(false)
  const behind = await ask(shop, `${question}&cursor=${body.next_cursor}`)
  const waits = isBehind.mock.calls.map(([, ms]) => ms)
  isBehind.mockRestore()
  const caughtUp = await ask(shop, `${question}&cursor=${body.next_cursor}`)

  expect([behind.status, caughtUp.status, idsOf(caughtUp).length]).toEqual([503, 200, 1])
  expect(waits).toEqual([2_000])
})

/** The state of so many applications; the log has so many events of them all, at most 500 each, behind the point. */
function readApplications({ count, events }: Record<'count' | 'events', number>) {
  const registered = Array.from({ length: count }, (_, index) => ({
    ...{ id: String(index + 1), position: index + 1 },
    body: { at: index + 1, stream: `app-${index + 1}` },
  }))
  const later = { data: '', metadata: '', position: 9_000 }
  const read = new Set<string>()
  const readStream = async (stream: string, { from }: { readonly from: number }) => {
    const before = 500 * read.size
    read.add(stream)
    return from === 0 ? Array(Math.min(500, Math.max(0, events - before))).fill(later) : []
  }
  const answered = readConfigurationChanges(
    {
      ...load,
      projections: {
        active: () => 2,
        passed: () => 2_000,
        position: () => 2_000,
        waitFor: async () => true,
        progress: () => [],
      },
      documents: {
        get: async () => undefined,
        load: async () => [],
        checkpoints: async () => [],
        find: async (_, { after, limit }) => {
          const from = Number(after?.id ?? 0)
          return registered.slice(from, from + limit)
        },
      },
      events: { readStream } as unknown as EventStore,
    },
    { account: 'acc_a', from: 0, to: 2_000, kind: 'application', path: 'as_of' },
  )
  return { answered, read }
}

test('every application that was ever registered is looked at', async () => {
  const { answered, read } = readApplications({ count: 1_700, events: 0 })
  await answered

  expect(read.size).toBe(1_700)
})

test('given 200,000 changes, when a state is asked, then all are read, and with one more it is refused with what to ask', async () => {
  await expect(readApplications({ count: 400, events: 200_000 }).answered).resolves.toEqual([])

  await expect(readApplications({ count: 401, events: 200_001 }).answered).rejects.toMatchObject({
    code: 'invalid_request',
    details: [{ path: 'as_of', message: expect.stringContaining('ask for one kind') }],
  })
})

/** Pages of two rules each of the state, and how often the rulebook was read for each. */
async function pageThrough(bytesMax: number): Promise<readonly number[]> {
  const vigil = await openVigil()
  onTestFinished(vigil.close)
  const shop = await openCustomer(vigil)
  for (let index = 0; index < 6; index += 1) await shop.rule(`signal.ext.a == "${index}"`)
  const { context } = vigil.service
  let reads = 0
  const readStream: EventStore['readStream'] = (stream, ...page) => {
    if (stream.startsWith('rulebook-')) reads += 1
    return events.readStream(stream, ...page)
  }
  const { events } = context
  const configurationChanges = openConfigurationChangeCache(bytesMax)
  Object.assign(context, { events: { ...events, readStream }, configurationChanges })
  const counts: number[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    reads = 0
    const next = await ask(shop, `state?kind=rule&limit=2${cursor && `&cursor=${cursor}`}`)
    counts.push(reads)
    expect(idsOf(next)).toHaveLength(2)
    cursor = next.body.next_cursor
  }
  return counts
}

test('the pages of a configuration read the log once, unless it is larger than what may be kept', async () => {
  expect(await pageThrough(100_000)).toEqual([1, 0, 0])
  // six rules are more than half of that
  expect(await pageThrough(2_000)).toEqual([1, 1, 1])
})
