/** Long requests about lists of every form, which have one share together. */

import { afterEach, expect, test, vi } from 'vitest'
import { importEntries } from '../../src/commands/lists/importEntries.ts'
import { listAllEntries } from '../../src/queries/lists/entries.ts'
import { eventually } from '../support/eventually.ts'
import { everyScope, ids, memoryService } from './support/memoryService.ts'
import { openDoorOfTest } from './support/openDoorOfTest.ts'

vi.mock('../../src/commands/lists/importEntries.ts', () => ({ importEntries: vi.fn() }))
vi.mock('../../src/queries/lists/entries.ts', async (original) => ({
  ...(await original<object>()),
  listAllEntries: vi.fn(),
}))

const phones = '/v2/verification/management/phone-numbers/block'
const entries = `/v2/watch/management/lists/${ids.list}/entries`
const token = everyScope

let door: Awaited<ReturnType<typeof openDoorOfTest>>
let release: () => void
afterEach(() => release())

/** Opens the door of a service whose exports and imports go on until `release`; answers how many have begun. */
async function openLong(): Promise<() => number> {
  let begun = 0
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  async function* nothing(): AsyncGenerator<never> {
    begun += 1
    await released
    yield* []
  }
  vi.mocked(listAllEntries).mockImplementation(async () => nothing())
  vi.mocked(importEntries).mockImplementation(async () => nothing())
  door = await openDoorOfTest(memoryService())
  return () => begun
}

const bring = (path: string) =>
  door.request('POST', `${path}/import`, {
    token,
    headers: { 'content-type': 'application/x-ndjson' },
    body: '\n',
  })
const take = (path: string) => door.request('GET', `${path}/export`, { token })

test.each([
  [phones, entries],
  [entries, phones],
])('an import into %s keeps one into %s waiting', async (first, second) => {
  const begun = await openLong()
  const underWay = bring(first)
  await eventually(async () => begun() === 1)

  const refused = await bring(second)
  release()

  expect([refused.status, refused.body['code']]).toEqual([429, 'rate_limited'])
  expect((await underWay).status).toBe(200)
  expect((await bring(second)).status).toBe(200)
})

test('exports of phone lists and of others are counted together', async () => {
  const begun = await openLong()
  const underWay = [phones, phones, entries, entries].map(take)
  await eventually(async () => begun() === 4)

  const refused = [await take(phones), await take(entries)]
  release()

  expect(refused.map(({ status }) => status)).toEqual([429, 429])
  expect((await Promise.all(underWay)).map(({ status }) => status)).toEqual(Array(4).fill(200))
})
