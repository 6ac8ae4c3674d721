import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { Failure } from '../../src/domain/failure.ts'
import type { Alarm, Projections } from '../../src/projections/running/projectionState.ts'
import type { RunnerOptions } from '../../src/projections/running/runner.ts'
import type { ReadStore } from '../../src/stores/readStore.ts'
import { draws } from '../support/draws.ts'
import { eventually } from '../support/eventually.ts'
import { nothingMoreComes } from '../support/nothingMoreComes.ts'
import { decodeLetters, letters, plainFold } from './lettersProjection.ts'
import { type MemoryLog, memoryLog } from './memoryEventStore.ts'
import {
  commitsBy,
  commitTo,
  type MemoryDisk,
  memoryDisk,
  memoryReadStore,
} from './memoryReadStore.ts'
import { runTracked } from './trackProjections.ts'

const waitMs = 60_000
const running = new Set<Projections>()
afterEach(async () => {
  await Promise.all([...running].map((projections) => projections.close()))
  running.clear()
})

interface Setup extends Partial<RunnerOptions> {
  readonly log: MemoryLog
  readonly disk?: MemoryDisk
}

function start({ log, disk, ...options }: Setup): Projections {
  const projections = runTracked({
    eventStore: log,
    readStore: memoryReadStore(disk),
    projections: [letters()],
    decode: decodeLetters,
    onOtherLog: 'refuse',
    ...options,
    pace: { backoffMs: 1, backoffMaxMs: 2, delayMs: 1, ...options.pace },
  })
  running.add(projections)
  return projections
}

/** A log of letters that were added to one document, and an empty disk. */
function written(text: string, step?: number) {
  const log = memoryLog(step)
  for (const letter of text) log.add('s', 'LetterAdded', { ids: ['w'], letter })
  return { log, disk: memoryDisk() }
}

/** The same, folded by a runner that has stopped. */
async function folded(text: string, step?: number) {
  const { log, disk } = written(text, step)
  const first = start({ log, disk })
  await caughtUp(first, log)
  await stop(first)
  return { log, disk }
}

async function stop(projections: Projections): Promise<void> {
  running.delete(projections)
  await projections.close()
}

function words(disk: MemoryDisk, collection = 'letters@1'): Readonly<Record<string, unknown>> {
  const documents = [...(disk.collections.get(collection)?.values() ?? [])]
  return Object.fromEntries(documents.flatMap(({ id, body }) => (body ? [[id, body['text']]] : [])))
}

const caughtUp = (projections: Projections, log: MemoryLog) =>
  projections.waitFor(log.events.at(-1)?.position ?? 0, waitMs)

describe('a runner', () => {
  test.each([1, 60])(
    'that rests is woken by who waits for a position, of every %i',
    async (step) => {
      const { log, disk } = written('a busy log '.repeat(10), step)
      const hourMs = 3_600_000
      // by this clock no time passes, so that the log stays busy and each rest would last an hour
      const projections = start({
        log,
        disk,
        elapsedMs: () => 0,
        pace: { delayMs: hourMs, awaitedDelayMs: 1 },
      })
      expect(await caughtUp(projections, log)).toBe(true)

      for (const letter of 'is seen at once') {
        log.add('s', 'LetterAdded', { ids: ['w'], letter })
        expect(await caughtUp(projections, log)).toBe(true)
      }

      expect(words(disk)).toEqual({ w: `${'a busy log '.repeat(10)}is seen at once` })
    },
  )

  test('commits a batch of all that follow the log together once', async () => {
    const [log, disk] = [memoryLog(), memoryDisk()]
    const store = memoryReadStore(disk)
    const commits: string[][] = []
    const counted: ReadStore = {
      ...store,
      commit: async (some) => {
        const changed = some.filter(({ changes }) => changes.length > 0)
        if (changed.length > 0) commits.push(changed.map(({ checkpoint }) => checkpoint.projection))
        await store.commit(some)
      },
    }
    const projections = start({
      log,
      readStore: counted,
      projections: [letters(), letters({ name: 'others' })],
    })
    await eventually(() => projections.active('others') === 1)

    log.add('s', 'LetterAdded', { ids: ['a'], letter: 'x' })
    await caughtUp(projections, log)

    expect(commits).toEqual([['letters', 'others']])
    expect(words(disk)).toEqual({ a: 'x' })
    expect(words(disk, 'others@1')).toEqual({ a: 'x' })
  })

  test('leaves the others alone when what one of them commits cannot be stored', async () => {
    const [log, disk] = [memoryLog(), memoryDisk()]
    const alarms: Alarm[] = []
    const store = memoryReadStore(disk)
    const refusing: ReadStore = {
      ...store,
      ...commitsBy(async (changes, checkpoint) => {
        if (changes.length > 0 && checkpoint.projection === 'letters') throw new Error('no column')
        await commitTo(store, changes, checkpoint)
      }),
    }
    const projections = start({
      log,
      readStore: refusing,
      projections: [letters(), letters({ name: 'others' })],
      onAlarm: (alarm) => alarms.push(alarm),
    })
    await eventually(() => projections.active('others') === 1)

    log.add('s', 'LetterAdded', { ids: ['a'], letter: 'x' })
    log.add('s', 'LetterAdded', { ids: ['a'], letter: 'y' })

    await eventually(() => words(disk, 'others@1')['a'] === 'xy')
    expect(words(disk)).toEqual({})
    expect(alarms.map(({ kind, projection }) => [kind, projection])).toEqual([
      ['stopped', 'letters'],
    ])
  })

  test('is ready at once over an empty log', async () => {
    const projections = start({ log: memoryLog() })

    await eventually(() => projections.active('letters') === 1)

    expect(projections.progress()).toEqual([
      {
        name: 'letters',
        version: 1,
        position: 0,
        status: 'live',
        parked: 0,
        active: 1,
        activePosition: 0,
      },
    ])
  })

  test('ends waits on events that no projection handles or knows', async () => {
    const log = memoryLog()
    const projections = start({ log })
    await eventually(() => projections.active('letters') === 1)

    log.add('s', 'NeverHeardOf', 'not even an object')

    expect(await caughtUp(projections, log)).toBe(true)
  })

  test('answers a wait that runs out with false, and later ones as it goes', async () => {
    const log = memoryLog()
    const projections = start({ log })
    const added = log.add('s', 'LetterAdded', { ids: ['a'], letter: 'x' })

    expect(await projections.waitFor(added.position + 1, 5)).toBe(false)
    expect(await projections.waitFor(added.position, waitMs)).toBe(true)
    expect(projections.position()).toBe(added.position)
  })

  test('goes on where it was after a restart and reads nothing twice', async () => {
    const [log, disk] = [memoryLog(), memoryDisk()]
    log.add('s', 'LetterAdded', { ids: ['a'], letter: 'x' })
    const first = start({ log, disk })
    await caughtUp(first, log)
    await stop(first)
    const last = log.add('s', 'LetterAdded', { ids: ['a'], letter: 'y' })

    const decoded: number[] = []
    const second = start({
      log,
      disk,
      decode: (recorded) => {
        decoded.push(recorded.position)
        return decodeLetters(recorded)
      },
    })

    expect(await caughtUp(second, log)).toBe(true)
    expect(words(disk)).toEqual({ a: 'xy' })
    expect(decoded).toEqual([last.position])
  })

  test('decodes an event once for all projections that handle it, and never for none', async () => {
    const log = memoryLog()
    log.add('s', 'LetterAdded', { ids: ['a'], letter: 'x' })
    log.add('s', 'NeverHeardOf')
    const decoded: string[] = []

    const projections = start({
      log,
      projections: [letters(), letters({ name: 'others' })],
      decode: (recorded) => {
        decoded.push(recorded.type)
        return decodeLetters(recorded)
      },
    })

    expect(await caughtUp(projections, log)).toBe(true)
    expect(decoded).toEqual(['LetterAdded'])
  })

  test('finishes the batch in hand when it is closed', async () => {
    const { log, disk } = written('abcdef')
    let closing: Promise<void> | undefined
    log.batchSizes = [3]

    const projections = start({
      log,
      disk,
      readStore: memoryReadStore(disk, (before) => {
        if (before === 'write') closing ??= projections.close()
      }),
    })
    await eventually(() => closing !== undefined)
    await closing

    expect(words(disk)).toEqual({ w: 'abc' })
    expect([...disk.checkpoints.values()]).toMatchObject([{ position: log.events[2]?.position }])
  })

  test('waits out an outage of the read store, loudly, and loses nothing', async () => {
    const { log, disk } = written('abc')
    const alarms: Alarm[] = []
    let failures = 0

    const projections = start({
      log,
      disk,
      onAlarm: (alarm) => alarms.push(alarm),
      readStore: memoryReadStore(disk, () => {
        failures += 1
        if (failures % 4 === 1) throw new Failure('unavailable', 'the disk is away')
      }),
    })

    await eventually(() => projections.position() === log.events.at(-1)?.position)
    expect(words(disk)).toEqual({ w: 'abc' })
    expect(alarms.length).toBeGreaterThan(1)
    expect(alarms.every(({ kind }) => kind === 'outage')).toBe(true)
    await eventually(() => projections.progress()[0]?.status === 'live')
  })

  test('shows an outage while it lasts and answers waits at once', async () => {
    const log = memoryLog()
    let away = false
    const projections = start({
      log,
      readStore: memoryReadStore(memoryDisk(), () => {
        if (away) throw new Failure('unavailable', 'the disk is away')
      }),
    })
    await eventually(() => projections.active('letters') === 1)

    away = true
    const { position } = log.add('s', 'LetterAdded', { ids: ['a'], letter: 'x' })
    await eventually(() => projections.progress()[0]?.status === 'failing')

    expect(await projections.waitFor(position, 60_000)).toBe(false)
    away = false
    await eventually(() => projections.progress()[0]?.position === position)
    expect(projections.progress()).toMatchObject([{ status: 'live' }])
  })

  test('is failing for good when the collections cannot be prepared', async () => {
    const alarms: Alarm[] = []

    const projections = start({
      log: memoryLog(),
      onAlarm: (alarm) => alarms.push(alarm),
      readStore: memoryReadStore(memoryDisk(), (before) => {
        if (before === 'prepare') throw new Error('other indexes')
      }),
    })

    await eventually(() => alarms.length === 1)
    expect(alarms).toEqual([
      { kind: 'stopped', message: 'the projections cannot start: other indexes' },
    ])
    expect(projections.progress()).toMatchObject([{ status: 'failing' }])
    expect(await projections.waitFor(1, 60_000)).toBe(false)
  })

  test('sweeps tombstones a day after it has passed them', async () => {
    const [log, disk] = [memoryLog(), memoryDisk()]
    let elapsedMs = 0
    const projections = start({ log, disk, elapsedMs: () => elapsedMs })
    const hour = async (hours: number, type: string, data: unknown): Promise<void> => {
      elapsedMs = hours * 60 * 60 * 1_000
      log.add('s', type, data)
      await caughtUp(projections, log)
      await nothingMoreComes()
    }
    const dead = () => [...(disk.collections.get('letters@1')?.keys() ?? [])]

    await hour(0, 'WordRemoved', { id: 'old' })
    await hour(1, 'WordRemoved', { id: 'middle' })
    await hour(23, 'WordRemoved', { id: 'young' })
    expect(dead()).toEqual(['old', 'middle', 'young'])
    await hour(24.5, 'Nothing', {})
    await hour(24.6, 'Nothing', {})

    expect(dead()).toEqual(['middle', 'young'])
  })
})

describe('a poison event', () => {
  const poison = new Set(['!'])

  async function live(disk: MemoryDisk, log: MemoryLog, alarms: Alarm[] = []) {
    const projections = start({
      log,
      disk,
      projections: [letters({ poison }), letters({ name: 'others' })],
      onAlarm: (alarm) => alarms.push(alarm),
    })
    await eventually(() => projections.active('others') === 1)
    return projections
  }

  test('parks its document from there on while other documents and projections go on', async () => {
    const [log, disk, alarms] = [memoryLog(), memoryDisk(), [] as Alarm[]]
    const projections = await live(disk, log, alarms)

    log.add('s', 'LetterAdded', { ids: ['p', 'q'], letter: 'a' })
    log.add('s', 'LetterAdded', { ids: ['p', 'q'], letter: '!' })
    log.add('t', 'LetterAdded', { ids: ['p', 'q'], letter: 'b' })
    await caughtUp(projections, log)

    expect(words(disk)).toEqual({ p: 'a', q: 'a!b' })
    expect(words(disk, 'others@1')).toEqual({ p: 'a!b', q: 'a!b' })
    expect(projections.progress().map(({ parked, status }) => [parked, status])).toEqual([
      [2, 'live'],
      [0, 'live'],
    ])
    expect(projections.progress().map(({ parkedAccounts }) => parkedAccounts)).toEqual([
      ['acc'],
      undefined,
    ])
    expect(alarms).toEqual([
      {
        kind: 'parked',
        projection: 'letters',
        message: expect.stringMatching(/LetterAdded at position 6 of stream s.*a poison letter/),
      },
    ])
  })

  test('that cannot be read parks the rest of its stream while other streams go on', async () => {
    const [log, disk] = [memoryLog(), memoryDisk()]
    const projections = await live(disk, log)

    log.add('s', 'LetterAdded', { ids: ['a'], letter: '1' })
    log.add('s', 'LetterAdded', { unreadable: true })
    log.add('s', 'LetterAdded', { ids: ['a'], letter: '2' })
    log.add('t', 'LetterAdded', { ids: ['b'], letter: '3' })
    await caughtUp(projections, log)

    expect(words(disk)).toEqual({ a: '1', b: '3' })
    const ofBoth = { parked: 2, parkedAccounts: ['acc'] }
    expect(projections.progress()).toMatchObject([ofBoth, ofBoth])
  })

  test('stays parked over a restart, and so does what comes behind it', async () => {
    const [log, disk] = [memoryLog(), memoryDisk()]
    const first = await live(disk, log)
    log.add('s', 'LetterAdded', { ids: ['p'], letter: '!' })
    await caughtUp(first, log)
    await stop(first)

    const second = await live(disk, log)
    log.add('s', 'LetterAdded', { ids: ['p'], letter: 'b' })
    await caughtUp(second, log)

    expect(words(disk)).toEqual({})
    expect(second.progress()).toMatchObject([{ parked: 2 }, { parked: 0 }])
  })

  test('and all behind it are applied in order once the cause is mended', async () => {
    const [log, disk] = [memoryLog(), memoryDisk()]
    const broken = await live(disk, log)
    for (const letter of ['a', '!', 'b', '!', 'c']) {
      log.add('s', 'LetterAdded', { ids: ['p', 'q'], letter })
    }
    await caughtUp(broken, log)
    const refused = await broken.retryParked('letters')
    expect(refused).toMatchObject({ applied: 0, parked: 4, left: [{}, {}, {}, {}] })
    expect(refused.left.map(({ error }) => error)).toEqual([
      'a poison letter',
      undefined,
      undefined,
      undefined,
    ])
    await stop(broken)

    const mended = start({ log, disk })
    await eventually(() => mended.active('letters') === 1)

    expect(await mended.retryParked('letters')).toEqual({ applied: 4, parked: 0, left: [] })
    expect(words(disk)).toEqual(plainFold(log.events))
    expect(mended.progress()).toMatchObject([{ parked: 0 }])
    log.add('s', 'LetterAdded', { ids: ['p'], letter: 'd' })
    await caughtUp(mended, log)
    expect(words(disk)).toEqual(plainFold(log.events))
  })

  test('is not applied twice when the retry is cut off after the document', async () => {
    const [log, disk] = [memoryLog(), memoryDisk()]
    const broken = await live(disk, log)
    for (const letter of ['a', '!', 'b']) log.add('s', 'LetterAdded', { ids: ['p'], letter })
    await caughtUp(broken, log)
    await stop(broken)
    let writes = 0
    const store = memoryReadStore(disk, (before) => {
      writes += before === 'write' ? 1 : 0
      if (before === 'write' && writes === 2) throw new Failure('unavailable', 'cut off')
    })
    const mended = start({ log, readStore: store })
    await eventually(() => mended.active('letters') === 1)

    await expect(mended.retryParked('letters')).rejects.toMatchObject({ code: 'unavailable' })
    expect(words(disk)).toEqual({ p: 'a!' })

    expect(await mended.retryParked('letters')).toEqual({ applied: 2, parked: 0, left: [] })
    expect(words(disk)).toEqual({ p: 'a!b' })
  })

  test('stays where it is while the projection does not go on', async () => {
    const [log, disk] = [memoryLog(), memoryDisk()]
    const broken = await live(disk, log)
    log.add('s', 'LetterAdded', { ids: ['p'], letter: '!' })
    await caughtUp(broken, log)
    await stop(broken)
    const otherLog = memoryLog(4)
    otherLog.add('s', 'LetterAdded', { ids: ['p'], letter: 'x' })
    const stopped = start({ log: otherLog, disk })
    await eventually(() => stopped.progress()[0]?.status === 'failing')

    const retried = await stopped.retryParked('letters')

    expect(retried).toMatchObject({ applied: 0, left: [{ position: 3, error: 'a poison letter' }] })
    expect(words(disk)).toEqual({})
  })

  test('of a stream that other streams have overtaken stays and says what to do', async () => {
    const [log, disk] = [memoryLog(), memoryDisk()]
    let unreadable = true
    const decode: RunnerOptions['decode'] = (recorded) => {
      if (unreadable && recorded.stream === 's') throw new Error('not yet')
      return decodeLetters(recorded)
    }
    const projections = start({ log, disk, decode })
    await eventually(() => projections.active('letters') === 1)
    log.add('s', 'LetterAdded', { ids: ['a'], letter: '1' })
    log.add('t', 'LetterAdded', { ids: ['a'], letter: '2' })
    await caughtUp(projections, log)

    unreadable = false
    const retried = await projections.retryParked('letters')

    expect(retried).toMatchObject({
      applied: 0,
      left: [{ position: 3, error: expect.stringMatching(/position 6 already.*new version/) }],
    })
    expect(words(disk)).toEqual({ a: '2' })
  })

  test('ends a rebuild, which skips nothing, while others go on', async () => {
    const [log, disk, alarms] = [memoryLog(), memoryDisk(), [] as Alarm[]]
    log.add('s', 'LetterAdded', { ids: ['p'], letter: 'a' })
    log.add('s', 'LetterAdded', { ids: ['p'], letter: '!' })
    log.add('s', 'LetterAdded', { ids: ['q'], letter: 'b' })
    log.batchSizes = [1]

    const projections = await live(disk, log, alarms)
    await eventually(() => projections.progress()[1]?.position === log.events.at(-1)?.position)

    expect(projections.active('letters')).toBeUndefined()
    expect(projections.progress()).toMatchObject([
      {
        status: 'failing',
        position: 3,
        parked: 0,
        error: expect.stringMatching(/cannot be built/),
      },
      { status: 'live' },
    ])
    expect(alarms).toMatchObject([{ kind: 'stopped', projection: 'letters' }])
    expect(await projections.waitFor(9, 60_000)).toBe(false)
  })

  test('in a rebuild does not end it for good: mended code goes on from the same place', async () => {
    const [log, disk] = [memoryLog(), memoryDisk()]
    for (const letter of ['a', '!', 'b']) log.add('s', 'LetterAdded', { ids: ['p'], letter })
    const broken = start({ log, disk, projections: [letters({ poison })] })
    await eventually(() => broken.progress()[0]?.status === 'failing')
    await stop(broken)

    const mended = start({ log, disk })

    expect(await caughtUp(mended, log)).toBe(true)
    expect(words(disk)).toEqual(plainFold(log.events))
  })
})

describe('a new version', () => {
  test('fills beside the old one, and readers switch when it has caught up', async () => {
    const { log, disk } = await folded('abc')

    const active: (number | undefined)[] = []
    const second = start({
      log,
      disk,
      projections: [letters({ version: 2, suffix: '.' })],
      onProgress: (states) => active.push(states[0]?.active),
    })
    await eventually(() => second.active('letters') === 2)

    expect(active[0]).toBe(1)
    expect(words(disk, 'letters@1')).toEqual({ w: 'abc' })
    expect(words(disk, 'letters@2')).toEqual({ w: 'a.b.c.' })
  })

  test('that cannot be built leaves readers on the old one, and waits end at once', async () => {
    const [log, disk] = [memoryLog(), memoryDisk()]
    log.add('s', 'LetterAdded', { ids: ['p'], letter: '!' })
    const first = start({ log, disk })
    await caughtUp(first, log)
    await stop(first)

    const second = start({
      log,
      disk,
      projections: [letters({ version: 2, poison: new Set(['!']) })],
    })
    await eventually(() => second.progress()[0]?.status === 'failing')
    const { position } = log.add('s', 'LetterAdded', { ids: ['q'], letter: 'x' })

    expect(second.active('letters')).toBe(1)
    expect(await second.waitFor(position, 60_000)).toBe(false)
  })

  test('far behind is brought up beside the others, which do not wait for it', async () => {
    const { log, disk } = await folded('abcdef', 10_000)

    const second = start({
      log,
      disk,
      projections: [letters(), letters({ version: 2, suffix: '.' })],
      pace: { pageMax: 1 },
    })
    log.add('s', 'LetterAdded', { ids: ['w'], letter: 'g' })
    await eventually(() => second.active('letters') === 2)
    log.add('s', 'LetterAdded', { ids: ['w'], letter: 'h' })

    expect(await caughtUp(second, log)).toBe(true)
    await eventually(() => second.progress().every(({ position }) => position === 80_000))
    expect(words(disk, 'letters@1')).toEqual({ w: 'abcdefgh' })
    expect(words(disk, 'letters@2')).toEqual({ w: 'a.b.c.d.e.f.g.h.' })
  })

  test('that joins the others while they handle a batch does not miss that batch', async () => {
    const { log, disk } = await folded('abc', 20_000)
    log.add('s', 'LetterAdded', { ids: ['w'], letter: 'd' })
    let open: () => void = () => undefined
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    const store = memoryReadStore(disk)
    const gated: ReadStore = {
      ...store,
      ...commitsBy(async (changes, checkpoint) => {
        if (checkpoint.version === 1) await gate
        await commitTo(store, changes, checkpoint)
      }),
    }

    const second = start({
      log,
      readStore: gated,
      projections: [letters(), letters({ version: 2, suffix: '.' })],
      pace: { pageMax: 1 },
    })
    await eventually(() => disk.checkpoints.get('letters@2')?.position === 60_000)
    await new Promise((done) => setTimeout(done, 5))
    open()
    await eventually(() => second.progress().every(({ position }) => position === 80_000))
    log.add('s', 'LetterAdded', { ids: ['w'], letter: 'e' })
    await eventually(() => second.progress().every(({ position }) => position === 100_000))

    expect(words(disk, 'letters@2')).toEqual({ w: 'a.b.c.d.e.' })
  })

  test('sends all but the last of the old ones away', async () => {
    const { log, disk } = written('a')

    for (const version of [1, 2, 3]) {
      const projections = start({ log, disk, projections: [letters({ version })] })
      await eventually(() => projections.active('letters') === version)
      await stop(projections)
    }

    expect([...disk.checkpoints.keys()]).toEqual(['letters@2', 'letters@3'])
    expect(words(disk, 'letters@1')).toEqual({})
  })

  test('taken back leaves readers on the older one, which goes on from where it was', async () => {
    const { log, disk } = written('a')
    for (const version of [1, 2]) {
      const projections = start({ log, disk, projections: [letters({ version })] })
      await eventually(() => projections.active('letters') === version)
      await stop(projections)
    }
    log.add('s', 'LetterAdded', { ids: ['w'], letter: 'b' })

    const back = start({ log, disk })

    await eventually(() => back.active('letters') === 1)
    expect(await caughtUp(back, log)).toBe(true)
    expect(words(disk)).toEqual({ w: 'ab' })
  })
})

describe('another log under the read models', () => {
  async function filledAndChanged(kind: string): Promise<{ log: MemoryLog; disk: MemoryDisk }> {
    const { log, disk } = await folded('abcd')
    log.events.length = 2
    if (kind !== 'shorter') {
      log.add('t', 'LetterAdded', { ids: ['w'], letter: 'x' })
      log.add('t', 'LetterAdded', { ids: ['w'], letter: 'y' })
    }
    return { log, disk }
  }

  test.each(['shorter', 'as long but other'])('that is %s is refused', async (kind) => {
    const { log, disk } = await filledAndChanged(kind)
    const alarms: Alarm[] = []

    const projections = start({ log, disk, onAlarm: (alarm) => alarms.push(alarm) })
    await eventually(() => alarms.length > 0)

    expect(alarms).toMatchObject([
      { kind: 'stopped', message: expect.stringMatching(/another log/) },
    ])
    expect(projections.active('letters')).toBeUndefined()
    expect(projections.progress()).toMatchObject([{ status: 'failing' }])
    expect(words(disk)).toEqual({ w: 'abcd' })
  })

  test.each(['shorter', 'as long but other'])('that is %s is folded anew', async (kind) => {
    const { log, disk } = await filledAndChanged(kind)
    const alarms: Alarm[] = []

    const projections = start({
      log,
      disk,
      onOtherLog: 'rebuild',
      onAlarm: (alarm) => alarms.push(alarm),
    })
    await eventually(() => projections.active('letters') === 1)

    expect(alarms).toMatchObject([
      { kind: 'rebuilt', message: expect.stringMatching(/built again/) },
    ])
    expect(words(disk)).toEqual(plainFold(log.events))
  })
})

describe('whatever happens on the way', () => {
  const action = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        type: fc.constant('LetterAdded'),
        stream: fc.constantFrom('s', 't'),
        data: fc.record({
          ids: fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1 }),
          letter: fc.constantFrom(...'uvwxyz'),
        }),
      }),
    },
    fc.record({
      type: fc.constant('WordRemoved'),
      stream: fc.constantFrom('s', 't'),
      data: fc.record({ id: fc.constantFrom('a', 'b', 'c') }),
    }),
    fc.record({
      type: fc.constant('Unhandled'),
      stream: fc.constantFrom('s', 't'),
      data: fc.constant({}),
    }),
  )

  test('the documents end as a plain fold of the log', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          before: fc.array(action, { maxLength: 12 }),
          after: fc.array(action, { maxLength: 12 }),
          batchSizes: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 4 }),
          drops: fc.array(fc.constantFrom('error' as const, 'end' as const), { maxLength: 5 }),
          repeats: fc.integer({ min: 0, max: 4 }),
          // Before which of the operations on the store it fails (once each), and before which the process ends.
          outages: fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 6 }),
          crashes: fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 4 }),
        }),
        async ({ before, after, outages, crashes, ...faults }) => {
          const [log, disk] = [memoryLog(), memoryDisk()]
          Object.assign(log, { ...faults, drops: [...faults.drops] })
          for (const { stream, type, data } of before) log.add(stream, type, data)
          const process = crashingProcess({ log, disk, outages, crashes })

          for (const { stream, type, data } of after) log.add(stream, type, data)
          await process.end()

          expect(words(disk)).toEqual(plainFold(log.events))
        },
      ),
      { numRuns: draws(150) },
    )
  })

  test('two runners on one store, each with its own delays, end as a plain fold of the log', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(action, { minLength: 1, maxLength: 12 }),
        fc.scheduler(),
        async (actions, scheduler) => {
          const [log, disk] = [memoryLog(), memoryDisk()]
          for (const { stream, type, data } of actions) log.add(stream, type, data)
          const slowed = (who: string): ReadStore => {
            const store = memoryReadStore(disk)
            return {
              ...store,
              load: async (...args) => {
                await scheduler.schedule(Promise.resolve(), `${who} load`)
                return await store.load(...args)
              },
              ...commitsBy(async (changes, checkpoint) => {
                for (const change of changes) {
                  await scheduler.schedule(Promise.resolve(), `${who} write`)
                  await commitTo(store, [change], { ...checkpoint, position: 0 })
                }
                await scheduler.schedule(Promise.resolve(), `${who} checkpoint`)
                await commitTo(store, [], checkpoint)
              }),
            }
          }

          const both = ['one', 'two'].map((who) => start({ log, readStore: slowed(who) }))
          const end = log.events.at(-1)?.position ?? 0
          while (both.some((one) => one.position() < end || one.active('letters') !== 1)) {
            await new Promise((done) => setImmediate(done))
            if (scheduler.count() > 0) await scheduler.waitOne()
          }
          const closing = both.map(stop)
          await scheduler.waitAll()
          await Promise.all(closing)

          expect(words(disk)).toEqual(plainFold(log.events))
        },
      ),
      { numRuns: draws(60) },
    )
  })
})

interface Crashing {
  readonly log: MemoryLog
  readonly disk: MemoryDisk
  readonly outages: readonly number[]
  readonly crashes: readonly number[]
}

/** A runner that is started again whenever it has crashed, until it has caught up. */
function crashingProcess({ log, disk, outages, crashes }: Crashing) {
  let operations = 0
  let crashed = false
  const store = (): ReadStore =>
    memoryReadStore(disk, () => {
      operations += 1
      crashed ||= crashes.includes(operations)
      // A process that has ended writes nothing more.
      if (crashed || outages.includes(operations)) throw new Failure('unavailable', 'gone')
    })
  let projections = start({ log, readStore: store() })

  return {
    end: async () => {
      const end = log.events.at(-1)?.position ?? 0
      while (projections.position() < end || projections.active('letters') === undefined) {
        await new Promise((done) => setImmediate(done))
        if (!crashed) continue
        await stop(projections)
        crashed = false
        projections = start({ log, readStore: store() })
      }
      await stop(projections)
    },
  }
}
