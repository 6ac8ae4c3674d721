import { afterEach, describe, expect, test } from 'vitest'
import { endedKeptMs } from '../../src/domain/endedKept.ts'
import { listEntries } from '../../src/projections/lists/listEntries.ts'
import { listEntryKeys } from '../../src/projections/lists/listEntryKeys.ts'
import type { Projections } from '../../src/projections/running/projections.ts'
import { startRunner } from '../../src/projections/running/runner.ts'
import { listListEntries, readListEntryKeys } from '../../src/queries/lists/listEntries.ts'
import { eventually } from '../support/eventually.ts'
import { decodeLetters } from './lettersProjection.ts'
import { type MemoryLog, memoryLog } from './memoryEventStore.ts'
import { type MemoryDisk, memoryDisk, memoryReadStore } from './memoryReadStore.ts'
import { everything } from './readModelsRun.ts'

const running = new Set<Projections>()
afterEach(async () => {
  await Promise.all([...running].map((projections) => projections.close()))
  running.clear()
})

/** The projections of lists over a log, whose clock and looks for what has ended are the test's. */
function openScene({
  log = memoryLog(),
  disk = memoryDisk(),
  endingsEveryMs = 1,
  timeMs = 0,
} = {}) {
  const scene = { timeMs, elapsedMs: undefined as number | undefined, looks: 0 }
  const store = memoryReadStore(disk)
  const find: typeof store.find = (collection, asked) => {
    if ('expires_at' in asked.where) scene.looks += 1
    return store.find(collection, asked)
  }
  const projections = startRunner({
    eventStore: log,
    readStore: { ...store, find },
    projections: [listEntries, listEntryKeys],
    decode: decodeLetters,
    onOtherLog: 'refuse',
    nowMs: () => scene.timeMs,
    elapsedMs: () => scene.elapsedMs ?? scene.timeMs,
    pace: { backoffMs: 1, backoffMaxMs: 2, restMs: 0, endingsEveryMs },
  })
  running.add(projections)
  const readers = { documents: store, projections }
  const told = async (): Promise<void> => {
    await projections.waitFor(await log.head(), 10_000)
  }
  /** Waits until what has ended by now has been looked for twice, so that all is gone. */
  const looked = async (): Promise<void> => {
    const until = scene.looks + 3
    await eventually(() => scene.looks >= until)
  }
  const entries = async (list: string) =>
    (await listListEntries(readers, { account: 'acc_a', list, limit: 900 })).items
  const keys = async (list: string): Promise<number> => {
    let count = 0
    for await (const page of readListEntryKeys(readers, { account: 'acc_a', list })) {
      count += page.length
    }
    return count
  }
  return Object.assign(scene, { log, disk, projections, told, looked, entries, keys })
}

interface Added {
  readonly list?: string
  readonly number: number
  readonly timeMs?: number
  readonly expiresAtMs?: number
}

function add(
  log: MemoryLog,
  { list = 'lst_a', number, timeMs = 0, expiresAtMs }: Added,
  listedAtMs = timeMs,
): void {
  const value = { sealed: { key: 'k', box: `${number}` } }
  const data = { list_id: list, kind: 'text', value, listed_at: listedAtMs }
  const subjects = [{ digest: `${number}`.padStart(8, '0').padEnd(22, 'x'), key: 'k' }]
  const ends = expiresAtMs === undefined ? {} : { expires_at: expiresAtMs }
  const metadata = { account: 'acc_a', actor: 'tok_a', time: timeMs, subjects }
  log.add(`list_entry-${list}${number}`, 'ListEntryAdded', { ...data, ...ends }, metadata)
}

function deleteList(log: MemoryLog, list: string, time = 0): void {
  log.add('rulebook-acc_a', 'ListDeleted', { list_id: list }, { account: 'acc_a', time })
}

/** Enough is written elsewhere for the log to say that it is this time. */
function goOn(log: MemoryLog, timeMs: number): void {
  for (let number = 9_000; number < 9_016; number += 1)
    add(log, { list: 'lst_other', number, timeMs })
}

/** What is there, without what only says that something was, and what was written elsewhere. */
const kept = (disk: MemoryDisk) =>
  new Map(
    [...everything(disk)].filter(
      ([name]) => !name.startsWith('projection_states') && !name.includes('lst_other'),
    ),
  )

describe('entries that have expired', () => {
  test('are taken away a while after, many in small steps, and others stay', async () => {
    const scene = openScene()
    const { log, told, looked, entries } = scene
    for (let number = 0; number < 1_200; number += 1) add(log, { number, expiresAtMs: 1_000 })
    add(log, { number: 2_000 })
    add(log, { number: 2_001, expiresAtMs: 10 * endedKeptMs })
    await told()

    scene.timeMs = endedKeptMs
    goOn(log, scene.timeMs)
    await told()
    await looked()
    const before = await entries('lst_a')
    scene.timeMs = endedKeptMs + 1_000
    await looked()

    expect(before.length).toBe(900)
    expect((await entries('lst_a')).map(({ expires_at }) => expires_at)).toEqual([
      undefined,
      10 * endedKeptMs,
    ])
  })

  test('are made anew by what comes later, as if they were there', async () => {
    const [swept, plain] = [openScene(), openScene({ endingsEveryMs: 1_000_000 })]
    for (const { log } of [swept, plain]) add(log, { number: 1, expiresAtMs: 1_000 })
    await swept.told()
    swept.timeMs = 2 * endedKeptMs
    for (const { log } of [swept, plain]) goOn(log, swept.timeMs)
    await swept.told()
    await swept.looked()
    const gone = await swept.entries('lst_a')

    for (const { log } of [swept, plain]) add(log, { number: 1, timeMs: 2 * endedKeptMs })
    await Promise.all([swept.told(), plain.told()])

    expect(gone).toEqual([])
    expect(kept(swept.disk)).toEqual(kept(plain.disk))
    expect(kept(swept.disk).size).toBe(2)
  })

  test('go from the keys with the next change beside them, which a rebuild repeats to the byte', async () => {
    const scene = openScene()
    const { log, told, keys } = scene
    add(log, { number: 1, expiresAtMs: 1_000 })
    add(log, { number: 2 })
    await told()
    const before = await keys('lst_a')

    add(log, { number: 3, timeMs: 1_000 + endedKeptMs })
    await told()
    const rebuilt = openScene({ log, endingsEveryMs: 1_000_000 })
    await rebuilt.told()

    expect([before, await keys('lst_a')]).toEqual([2, 2])
    const keysOf = (disk: MemoryDisk) => [...kept(disk)].filter(([name]) => /_keys@/.test(name))
    expect(keysOf(rebuilt.disk)).toEqual(keysOf(scene.disk))
  })
})

describe('a clock that is hours ahead', () => {
  const aheadMs = 3 * endedKeptMs
  const live = { number: 1, expiresAtMs: 2 * endedKeptMs }
  const ended = { number: 2, expiresAtMs: 1_000 }

  test('of the process that takes away: what has not ended stays, whoever writes', async () => {
    const scene = openScene()
    const { log, told, looked, entries } = scene
    for (const one of [live, ended]) add(log, one)
    await told()

    Object.assign(scene, { elapsedMs: 60_000, timeMs: 60_000 + aheadMs })
    goOn(log, scene.timeMs)
    await told()
    await looked()

    expect(await entries('lst_a')).toHaveLength(2)
  })

  test('from its start on: the newest events say what time it is', async () => {
    const before = openScene()
    for (const one of [live, ended]) add(before.log, one)
    await before.told()
    await before.projections.close()

    const scene = openScene({ ...before, timeMs: aheadMs })
    await scene.looked()
    const [restarted] = [await scene.entries('lst_a')]
    goOn(scene.log, 60_000)
    // of this process among them
    add(scene.log, { list: 'lst_other', number: 8_000, timeMs: aheadMs })
    await scene.told()
    await scene.looked()

    expect([restarted.length, (await scene.entries('lst_a')).length]).toEqual([2, 2])
  })

  test('of one that only writes: what has not ended stays, and what has goes', async () => {
    const scene = openScene()
    const { log, told, looked, entries } = scene
    for (const one of [live, ended]) add(log, one)
    await told()

    scene.timeMs = endedKeptMs + 1_000
    add(log, { list: 'lst_other', number: 8_000, timeMs: aheadMs })
    goOn(log, scene.timeMs)
    add(log, { list: 'lst_other', number: 8_000, timeMs: aheadMs })
    await told()
    await looked()

    expect((await entries('lst_a')).map(({ expires_at }) => expires_at)).toEqual([live.expiresAtMs])
  })
})

describe('a list that was deleted', () => {
  test('leaves nothing behind a while after, and no other list loses anything', async () => {
    const scene = openScene()
    const { log, told, looked, entries, keys, disk } = scene
    for (const list of ['lst_a', 'lst_b']) {
      for (let number = 0; number < 600; number += 1) add(log, { list, number })
    }
    deleteList(log, 'lst_a', 1_000)
    // of an import that did not know of it yet
    add(log, { list: 'lst_a', number: 700, timeMs: 2_000 })
    await told()

    scene.timeMs = endedKeptMs
    goOn(log, scene.timeMs)
    await told()
    await looked()
    const before = [(await entries('lst_a')).length, await keys('lst_a')]
    scene.timeMs += 2_000
    await eventually(async () => (await keys('lst_a')) === 0)
    await looked()

    expect(before).toEqual([601, 601])
    expect((await entries('lst_a')).length).toBe(0)
    expect([(await entries('lst_b')).length, await keys('lst_b')]).toEqual([600, 600])
    expect([...kept(disk).keys()].filter((name) => name.includes('lst_a'))).toEqual([])
  })
})
