import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { afterEach, expect, test } from 'vitest'
import type {
  FromProjections,
  Line,
  ToProjections,
} from '../../src/projections/running/projectionMessages.ts'
import type { Alarm, Projections } from '../../src/projections/running/projections.ts'
import {
  openRemoteProjections,
  type RemoteOptions,
  type Thread,
} from '../../src/projections/running/remoteProjections.ts'
import { startRunner } from '../../src/projections/running/runner.ts'
import { type Serving, serveProjections } from '../../src/projections/running/serveProjections.ts'
import { eventually } from '../support/eventually.ts'
import { decodeLetters, letters } from './lettersProjection.ts'
import { type MemoryLog, memoryLog } from './memoryEventStore.ts'
import { memoryDisk, memoryReadStore } from './memoryReadStore.ts'

const open: Projections[] = []
afterEach(async () => {
  for (const projections of open.splice(0)) await projections.close()
})

interface FakeThread {
  readonly die: (error: unknown) => void
  readonly closed: () => boolean
}

/** A thread that is none: the two ends of a channel. */
function threads(serving: (log: MemoryLog) => Serving) {
  const log = memoryLog()
  const disk = memoryDisk()
  const started: FakeThread[] = []
  const start = (): Thread => {
    const { port1: here, port2: there }: MessageChannel = new MessageChannel()
    const ended: ((error?: unknown) => void)[] = []
    let closed = false
    const line: Line<FromProjections, ToProjections> = there
    serveProjections(line, serving(log))
    started.push({
      closed: () => closed,
      die: (error) => {
        there.close()
        for (const listener of ended) listener(error)
      },
    })
    return {
      postMessage: (message) => here.postMessage(message),
      on: (event, listener) => here.on(event, listener),
      onEnd: (listener) => ended.push(listener),
      terminate: async () => {
        closed = true
        endOf(here)
        for (const listener of ended) listener()
      },
    }
  }
  return { log, disk, start, started }
}

const endOf = (port: MessagePort): void => port.close()

function serving(log: MemoryLog, disk = memoryDisk()): Serving {
  return {
    open: (told) =>
      startRunner({
        ...told,
        eventStore: log,
        readStore: memoryReadStore(disk),
        projections: [letters({ poison: new Set(['!']) })],
        decode: decodeLetters,
        onOtherLog: 'refuse',
        pace: { backoffMs: 1, backoffMaxMs: 2, restMs: 1 },
      }),
    close: async () => undefined,
  }
}

async function opened(start: () => Thread, more: Partial<RemoteOptions> = {}) {
  const alarms: Alarm[] = []
  const projections = await openRemoteProjections({
    projections: [letters()],
    start,
    onAlarm: (alarm) => alarms.push(alarm),
    backoffMs: 1,
    backoffMaxMs: 2,
    ...more,
  })
  open.push(projections)
  return { projections, alarms }
}

test('progress, waits, versions and alarms come over the line', async () => {
  const { log, start } = threads(serving)
  const { projections, alarms } = await opened(start)
  await eventually(() => projections.active('letters') === 1)

  const { position } = log.add('s', 'LetterAdded', { ids: ['p'], letter: '!' })

  expect(await projections.waitFor(position, 10_000)).toBe(true)
  await eventually(() => alarms.length === 1)
  expect(alarms).toMatchObject([{ kind: 'parked', projection: 'letters' }])
  expect(projections.progress()).toMatchObject([{ status: 'live', parked: 1, position }])
})

test('parked events are retried over the line', async () => {
  const { log, start } = threads(serving)
  const { projections } = await opened(start)
  await eventually(() => projections.active('letters') === 1)
  await projections.waitFor(
    log.add('s', 'LetterAdded', { ids: ['p'], letter: '!' }).position,
    9_999,
  )

  expect(await projections.retryParked('letters')).toMatchObject({
    applied: 0,
    left: [{ type: 'LetterAdded', error: 'a poison letter' }],
  })
})

test('stores that cannot be opened refuse the start', async () => {
  const { start, started } = threads(() => ({
    open: () => {
      throw new Error('Cannot use views.db')
    },
    close: async () => undefined,
  }))

  await expect(opened(start)).rejects.toThrow('Cannot use views.db')
  expect(started[0]?.closed()).toBe(true)
})

test('a thread that dies is started again and goes on, loudly', async () => {
  const disk = memoryDisk()
  const { log, start, started } = threads((one) => serving(one, disk))
  const { projections, alarms } = await opened(start)
  await eventually(() => projections.active('letters') === 1)

  started[0]?.die(new Error('out of memory'))
  await eventually(() => started.length === 2)
  const { position } = log.add('s', 'LetterAdded', { ids: ['a'], letter: 'x' })
  await eventually(() => projections.position() === position)

  expect(alarms).toEqual([
    { kind: 'outage', message: 'the thread of the projections ended: out of memory' },
  ])
})

test('a thread that dies while it is asked rejects the question', async () => {
  const { start, started } = threads(() => ({
    open: (told) => ({
      ...serving(memoryLog()).open(told),
      retryParked: () => new Promise(() => undefined),
    }),
    close: async () => undefined,
  }))
  const { projections } = await opened(start)

  const asked = projections.retryParked('letters')
  started[0]?.die(new Error('gone'))

  await expect(asked).rejects.toMatchObject({ code: 'unavailable' })
})

test('a thread that cannot be started again is tried ever more slowly and shown as failing', async () => {
  let starts = 0
  const { start, started } = threads((log) => {
    starts += 1
    if (starts > 1 && starts < 4) return { open: refuse, close: async () => undefined }
    return serving(log)
  })
  const { projections, alarms } = await opened(start)

  started[0]?.die(new Error('gone'))
  await eventually(() => starts === 4)
  await eventually(() => projections.active('letters') === 1)

  expect(alarms.map(({ message }) => message)).toEqual([
    expect.stringContaining('ended: gone'),
    expect.stringContaining('cannot start: not now'),
    expect.stringContaining('cannot start: not now'),
  ])
})

function refuse(): never {
  throw new Error('not now')
}

test('closing lets the thread finish and ends every wait', async () => {
  let closed = false
  const { start, started } = threads((log) => ({
    ...serving(log),
    close: async () => {
      closed = true
    },
  }))
  const { projections } = await opened(start)
  const waiting = projections.waitFor(99, 60_000)

  await projections.close()

  expect(closed).toBe(true)
  expect(started[0]?.closed()).toBe(true)
  expect(await waiting).toBe(false)
})

test('closing does not wait for ever for a thread that hangs', async () => {
  const { start, started } = threads((log) => ({
    ...serving(log),
    close: () => new Promise(() => undefined),
  }))
  const { projections } = await opened(start, { closeMs: 5 })

  await projections.close()

  expect(started[0]?.closed()).toBe(true)
})
