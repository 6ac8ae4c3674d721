import { afterEach, expect, test } from 'vitest'
import { expiredEntryRetentionMs } from '../../src/domain/lists/lists.ts'
import type { Projections } from '../../src/projections/running/projectionState.ts'
import { startRunner } from '../../src/projections/running/runner.ts'
import { sessions } from '../../src/projections/sessions/sessions.ts'
import { findActiveSessions } from '../../src/queries/sessions/sessions.ts'
import { samples } from '../events/samples.ts'
import { eventually } from '../support/eventually.ts'
import { decodeLetters } from './lettersProjection.ts'
import { memoryLog } from './memoryEventStore.ts'
import { memoryDisk, memoryReadStore } from './memoryReadStore.ts'

const user = 'usr_01h455vb4pex5vsknk084sn02q'
const lifetimeMs = 300_000

const running = new Set<Projections>()
afterEach(async () => {
  await Promise.all([...running].map((projections) => projections.close()))
  running.clear()
})

function openScene({ log = memoryLog(), disk = memoryDisk(), timeMs = 0 } = {}) {
  const scene = { timeMs, looks: 0 }
  const store = memoryReadStore(disk, undefined, () => scene.timeMs)
  const find: typeof store.find = (collection, asked) => {
    if (Object.keys(asked.where).join() === 'expires_at') scene.looks += 1
    return store.find(collection, asked)
  }
  const projections = startRunner({
    eventStore: log,
    readStore: { ...store, find },
    projections: [sessions],
    decode: decodeLetters,
    onOtherLog: 'refuse',
    pace: { backoffMs: 1, backoffMaxMs: 2, delayMs: 0, expiriesEveryMs: 1 },
  })
  running.add(projections)
  const looked = async (): Promise<void> => {
    const until = scene.looks + 3
    await projections.waitFor(await log.head(), 10_000)
    await eventually(() => scene.looks >= until)
  }
  /** Ids of the documents that are there, of sessions that have expired too. */
  const kept = () =>
    [...(disk.collections.get('sessions@2')?.values() ?? [])]
      .filter(({ body }) => body !== null)
      .map(({ body }) => `${body?.['started_at']}`)
  const active = async () => {
    const readers = { documents: store, projections }
    const found = await findActiveSessions(readers, { user, epoch: 0, nowMs: scene.timeMs })
    return found.map(({ id, body }) => ({ id, body }))
  }
  return Object.assign(scene, { log, projections, looked, kept, active })
}

type Scene = ReturnType<typeof openScene>

const idOf = (number: number) => `ses_01h455vb4pex5vsknk${String(number).padStart(8, '0')}`

function start({ log }: Scene, number: number, startedMs = number): void {
  const { SessionStarted } = samples
  const times = { started_at: startedMs, expires_at: startedMs + lifetimeMs }
  const ids = { session_id: idOf(number), user_id: user, epoch: 0 }
  const device = { sealed: { key: 'k', box: 'b' } }
  const data = { ...SessionStarted, ...ids, ...times, device }
  log.add(`session-${idOf(number)}`, 'SessionStarted', data)
}

function refresh({ log }: Scene, number: number, atMs: number): void {
  const { device: _, ...sample } = samples.SessionRefreshed
  const times = { refreshed_at: atMs, expires_at: atMs + lifetimeMs }
  const data = { ...sample, session_id: idOf(number), user_id: user, ...times }
  log.add(`session-${idOf(number)}`, 'SessionRefreshed', data)
}

test('a user who starts sessions for ever leaves no more behind than those of the last hour', async () => {
  const scene = openScene()
  for (let number = 0; number < 2_000; number += 1) start(scene, number)
  await scene.looked()
  expect(scene.kept()).toHaveLength(2_000)

  scene.timeMs = 1_499 + lifetimeMs + expiredEntryRetentionMs
  await scene.looked()

  await eventually(() => scene.kept().length === 500)
  expect(scene.kept().toSorted()[0]).toBe('1500')
})

test('none goes while an event is parked that may have kept it', async () => {
  const log = memoryLog()
  let turns = 0
  const head = async () => {
    turns += 1
    return log.events.at(-1)?.position ?? 0
  }
  const scene = openScene({ log: { ...log, head } })
  for (let number = 0; number < 10; number += 1) start(scene, number)
  await scene.looked()
  log.add(`session-${idOf(0)}`, 'SessionRefreshed', null)
  await eventually(() => scene.projections.progress()[0]?.parked === 1)

  scene.timeMs = 2 * (lifetimeMs + expiredEntryRetentionMs)
  const until = turns + 5
  await eventually(() => turns >= until)

  expect(scene.kept()).toHaveLength(10)
})

test('one that is refreshed stays, and what is active is the same when everything is built anew', async () => {
  const scene = openScene()
  for (let number = 0; number < 20; number += 1) start(scene, number)
  for (let number = 0; number < 5; number += 1) refresh(scene, number, lifetimeMs - 1)
  await scene.looked()
  scene.timeMs = lifetimeMs + 100
  const before = await scene.active()

  scene.timeMs += expiredEntryRetentionMs
  await scene.looked()
  await eventually(() => scene.kept().length === 5)
  scene.timeMs = lifetimeMs + 100
  const after = await scene.active()
  const anew = openScene({ log: scene.log, timeMs: scene.timeMs })
  await anew.looked()

  expect(before).toHaveLength(5)
  expect(after).toEqual(before)
  expect(await anew.active()).toEqual(before)
})
