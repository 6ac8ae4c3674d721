import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import { Failure } from '../../src/domain/failure.ts'
import { expiredEntryRetentionMs } from '../../src/domain/lists/lists.ts'
import { listEntriesProjection } from '../../src/projections/lists/listEntries.ts'
import { listEntryKeysProjection } from '../../src/projections/lists/listEntryKeys.ts'
import type { Projections } from '../../src/projections/running/projectionState.ts'
import { leaseTimes, shareProjections } from '../../src/projections/running/shareProjections.ts'
import { sessionsProjection } from '../../src/projections/sessions/sessions.ts'
import { findEntryPage } from '../../src/queries/lists/entries.ts'
import { readListEntryKeys } from '../../src/state/lists/readEntryKeys.ts'
import { findActiveSessions } from '../../src/state/sessions/activeSessions.ts'
import type { Lease } from '../../src/stores/lease.ts'
import { samples } from '../events/samples.ts'
import { eventually } from '../support/eventually.ts'
import { decodeLetters } from './lettersProjection.ts'
import { type MemoryLog, memoryLog } from './memoryEventStore.ts'
import { type MemoryDisk, memoryDisk, memoryReadStore } from './memoryReadStore.ts'
import { everything } from './readModelsRun.ts'
import { runTracked } from './trackProjections.ts'

const user = 'usr_01h455vb4pex5vsknk084sn02q'
const running = new Set<Projections>()
afterEach(async () => {
  await Promise.all([...running].map((projections) => projections.close()))
  running.clear()
})

interface Setup {
  readonly log?: MemoryLog
  readonly disk?: MemoryDisk
  readonly expiriesEveryMs?: number
  /** The clock of a process that shares the projections with others, and holds their lease. */
  readonly ownMs?: () => number
}

/** The projections of lists over a log; the clock of their store and the looks for what has ended are the test's. */
function openScene(setup: Setup = {}) {
  const { log = memoryLog(), disk = memoryDisk(), expiriesEveryMs = 1, ownMs } = setup
  const scene = { timeMs: 0, looks: 0, tellsNoTime: false, unanswered: 0 }
  const fault = (before: string): void => {
    if (before !== 'nowMs' || !scene.tellsNoTime) return
    scene.unanswered += 1
    throw new Failure('unavailable', 'the read store does not answer')
  }
  const store = memoryReadStore(disk, fault, () => scene.timeMs)
  const find: typeof store.find = (collection, asked) => {
    if ('expires_at' in asked.where) scene.looks += 1
    return store.find(collection, asked)
  }
  const options = {
    eventStore: log,
    readStore: {
      ...store,
      find,
      withLease: (lease: Lease) => ({ ...store.withLease(lease), find }),
    },
    projections: [listEntriesProjection, listEntryKeysProjection, sessionsProjection],
    decode: decodeLetters,
    onOtherLog: 'refuse',
    pace: { backoffMs: 1, backoffMaxMs: 2, delayMs: 0, expiriesEveryMs },
  } as const
  const projections = ownMs
    ? shareProjections({ ...options, ...holder(ownMs) })
    : runTracked(options)
  running.add(projections)
  const readers = { documents: store, projections }
  const told = async (): Promise<void> => {
    await projections.waitFor(await log.head(), 10_000)
  }
  /** Waits until what has ended by now has been looked for twice, so that all is gone. */
  const looked = async (): Promise<void> => {
    const until = scene.looks + 9
    await eventually(() => scene.looks >= until)
  }
  const entries = async (list: string) =>
    (await findEntryPage(readers, { account: 'acc_a', list, limit: 900 })).items
  const keys = async (list: string): Promise<number> => {
    let count = 0
    for await (const page of readListEntryKeys(readers, { account: 'acc_a', list })) {
      count += page.length
    }
    return count
  }
  const active = async () => {
    const asked = { user, epoch: 0, nowMs: scene.timeMs }
    return (await findActiveSessions(readers, asked)).map(({ id, body }) => ({ id, body }))
  }
  return Object.assign(scene, { log, disk, projections, told, looked, entries, keys, active })
}

const holder = (nowMs: () => number) => ({
  owner: 'a',
  nowMs,
  newId: randomUUID,
  onAlarm: () => undefined,
  onProgress: () => undefined,
  onLeaseStatus: () => undefined,
  times: { ...leaseTimes, renewEveryMs: 1, askEveryMs: 1 },
  everyMs: 1,
})

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

/** What is there, without what only says that something was. */
const kept = (disk: MemoryDisk) =>
  new Map([...everything(disk)].filter(([name]) => !name.startsWith('projection_states')))

describe('entries that have expired', () => {
  test('are taken away a while after, many in small steps, and others stay', async () => {
    const scene = openScene()
    const { log, told, looked, entries } = scene
    for (let number = 0; number < 1_200; number += 1) add(log, { number, expiresAtMs: 1_000 })
    add(log, { number: 2_000 })
    add(log, { number: 2_001, expiresAtMs: 10 * expiredEntryRetentionMs })
    await told()

    scene.timeMs = expiredEntryRetentionMs
    await looked()
    const before = await entries('lst_a')
    scene.timeMs = expiredEntryRetentionMs + 1_000
    await looked()

    expect(before.length).toBe(900)
    expect((await entries('lst_a')).map(({ expires_at }) => expires_at)).toEqual([
      undefined,
      10 * expiredEntryRetentionMs,
    ])
  })

  test('are made anew by what comes later, as if they were there', async () => {
    const [swept, plain] = [openScene(), openScene({ expiriesEveryMs: 1_000_000 })]
    for (const { log } of [swept, plain]) add(log, { number: 1, expiresAtMs: 1_000 })
    await swept.told()
    swept.timeMs = 2 * expiredEntryRetentionMs
    await swept.looked()
    const gone = await swept.entries('lst_a')

    for (const { log } of [swept, plain])
      add(log, { number: 1, timeMs: 2 * expiredEntryRetentionMs })
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

    add(log, { number: 3, timeMs: 1_000 + expiredEntryRetentionMs })
    await told()
    const rebuilt = openScene({ log, expiriesEveryMs: 1_000_000 })
    await rebuilt.told()

    expect([before, await keys('lst_a')]).toEqual([2, 2])
    const keysOf = (disk: MemoryDisk) => [...kept(disk)].filter(([name]) => /_keys@/.test(name))
    expect(keysOf(rebuilt.disk)).toEqual(keysOf(scene.disk))
  })
})

describe('the clock by which entries are taken away', () => {
  const hourMs = 60 * 60 * 1_000
  const live = { number: 1, expiresAtMs: 3 * hourMs }
  const ended = { number: 2, expiresAtMs: 1_000 }
  const monthMs = 30 * 24 * hourMs

  test('is that of the store: by six hours more on its own, and in all it writes, a holder takes nothing that is in force', async () => {
    const aheadMs = 6 * hourMs
    const scene = openScene({ ownMs: () => scene.timeMs + aheadMs })
    const { log, told, looked, entries } = scene
    for (const one of [live, ended]) add(log, one)
    for (let number = 100; number < 200; number += 1) {
      add(log, { list: 'lst_imported', number, timeMs: aheadMs })
    }
    await told()
    await looked()
    const before = await entries('lst_a')

    scene.timeMs = 1_000 + expiredEntryRetentionMs
    await looked()

    expect(before).toHaveLength(2)
    expect((await entries('lst_a')).map(({ expires_at }) => expires_at)).toEqual([live.expiresAtMs])
  })

  test('is asked again when the store does not answer, and nothing goes until it does', async () => {
    const scene = openScene()
    const { log, told, looked, entries } = scene
    for (const one of [live, ended]) add(log, one)
    await told()
    await looked()

    scene.tellsNoTime = true
    scene.timeMs = monthMs
    await eventually(() => scene.unanswered >= 5)
    const unanswered = await entries('lst_a')
    scene.tellsNoTime = false
    await looked()

    expect([unanswered.length, (await entries('lst_a')).length]).toEqual([2, 0])
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

    scene.timeMs = expiredEntryRetentionMs
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

describe('sessions that have expired', () => {
  const lifetimeMs = 300_000
  const idOf = (number: number) => `ses_01h455vb4pex5vsknk${String(number).padStart(8, '0')}`
  const sessionsIn = ({ disk }: ReturnType<typeof openScene>) =>
    [...kept(disk).keys()].filter((name) => name.startsWith('sessions@'))

  /** Starts so many sessions, a millisecond after one another. */
  async function openSessions(count: number) {
    const scene = openScene()
    for (let number = 0; number < count; number += 1) {
      const times = { started_at: number, expires_at: number + lifetimeMs }
      const ids = { session_id: idOf(number), user_id: user, epoch: 0 }
      const device = { sealed: { key: 'k', box: 'b' } }
      const data = { ...samples.SessionStarted, ...ids, ...times, device }
      scene.log.add(`session-${idOf(number)}`, 'SessionStarted', data)
    }
    await scene.told()
    return scene
  }

  function refresh({ log }: ReturnType<typeof openScene>, number: number, atMs: number): void {
    const { device: _, ...sample } = samples.SessionRefreshed
    const times = { refreshed_at: atMs, expires_at: atMs + lifetimeMs }
    const data = { ...sample, session_id: idOf(number), user_id: user, ...times }
    log.add(`session-${idOf(number)}`, 'SessionRefreshed', data)
  }

  test('stay while an event is parked that may have kept one', async () => {
    const scene = await openSessions(10)
    await eventually(() => scene.projections.active('sessions') !== undefined)
    scene.log.add(`session-${idOf(0)}`, 'SessionRefreshed', null)
    await eventually(() => scene.projections.progress().some(({ parked }) => parked === 1))

    scene.timeMs = 2 * (lifetimeMs + expiredEntryRetentionMs)
    await scene.looked()

    expect(sessionsIn(scene)).toHaveLength(10)
  })

  test('go, but for those that were refreshed; what is active is the same when everything is built anew', async () => {
    const scene = await openSessions(20)
    for (let number = 0; number < 5; number += 1) refresh(scene, number, lifetimeMs - 1)
    await scene.told()
    scene.timeMs = lifetimeMs + 100
    const before = await scene.active()

    scene.timeMs += expiredEntryRetentionMs
    await eventually(() => sessionsIn(scene).length === 5)
    const anew = openScene({ log: scene.log })
    await anew.told()
    for (const one of [scene, anew]) one.timeMs = lifetimeMs + 100

    expect(before).toHaveLength(5)
    expect([await scene.active(), await anew.active()]).toEqual([before, before])
  })
})
