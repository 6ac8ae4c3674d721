/**
 * Durable appends of the event store, against the plainest thing that is durable: the same bytes gathered into a file
 * and synced.
 */

import { fdatasync, open, write } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { NewEvent } from '../src/stores/eventStore.ts'
import { type Appender, appendsPerSecond, sampleEvents } from './appendLoad.ts'
import type { Benchmark } from './benchmark.ts'
import { openEmbeddedEventStore, startReadModels, startWriterThread } from './built.ts'
import { startHelper, temporaryFolder } from './childProcess.ts'
import { type Figure, figureOf } from './figure.ts'
import { folderWith, logSizes } from './logs.ts'
import { median, quantile, ratios } from './statistics.ts'
import type { ViewsToWrite } from './writeViews.ts'

const targets = [
  { callers: 1, target: 1 },
  { callers: 16, target: 0.75 },
  { callers: 256, target: 0.6 },
] as const

/** Measures evaluations, as the service wrote them, appended by so many callers at once, each to a new stream. */
export const appends: Benchmark = async ({ size }) => {
  const events = await sampleEvents(await folderWith(logSizes(size).few))
  const folder = temporaryFolder()
  const rounds = { full: 15, quick: 5, smallest: 1 }[size]
  const roundMs = { full: 2_000, quick: 300, smallest: 30 }[size]
  const figures = []
  const store = await storeIn(folder.path)
  const file = await plainFileIn(folder.path)
  for (const { callers, target } of targets) {
    const own: number[] = []
    const plain: number[] = []
    for (let round = -1; round < rounds; round += 1) {
      const ofFile = await appendsPerSecond(file, { events, callers, roundMs })
      const ofStore = await appendsPerSecond(store, { events, callers, roundMs })
      if (round < 0) continue
      plain.push(ofFile)
      own.push(ofStore)
    }
    figures.push(
      figureOf(
        {
          name: `durable appends/s at ${callers} ${callers === 1 ? 'caller' : 'callers'}`,
          against: 'group fdatasync of the same bytes to a plain file',
          unit: 'of its appends/s',
          target: { bound: 'at least', value: target },
        },
        ratios(own, plain),
        [`Vigil ${median(own).toFixed(0)}/s, plain file ${median(plain).toFixed(0)}/s`],
      ),
    )
  }
  figures.push(await besideViews(store, { events, folder: folder.path, rounds, roundMs }))
  await store.close()
  await file.close()
  folder.remove()
  return figures
}

interface BesideViews {
  readonly events: readonly NewEvent[]
  readonly folder: string
  readonly rounds: number
  readonly roundMs: number
}

/** How long appends take while read models are written to the same disk, against when none are. */
async function besideViews(
  store: Appender,
  { events, folder, rounds, roundMs }: BesideViews,
): Promise<Figure> {
  const writer = startHelper('./writeViews.ts')
  const alone: number[] = []
  const beside: number[] = []
  let documents = 0
  const slowest = async (): Promise<number> => {
    const tookMs: number[] = []
    const append: Appender['append'] = async (stream, event) => {
      const begunMs = performance.now()
      await store.append(stream, event)
      tookMs.push(performance.now() - begunMs)
    }
    await appendsPerSecond({ append }, { events, callers: 16, roundMs })
    return quantile(tookMs, 0.99)
  }
  for (let round = -1; round < rounds; round += 1) {
    const aloneMs = await slowest()
    const written = writer.ask<number>({ folder, durationMs: roundMs } satisfies ViewsToWrite)
    const besideMs = await slowest()
    documents += await written
    if (round < 0) continue
    alone.push(aloneMs)
    beside.push(besideMs)
  }
  await writer.stop()
  return figureOf(
    {
      name: 'same, 16 callers, p99 while views.db is written and checkpointed without a pause',
      against: 'the same while nothing writes views.db',
      unit: 'times its p99',
      target: { bound: 'at most', value: 25 },
    },
    ratios(beside, alone),
    [
      `${median(beside).toFixed(1)} ms, alone ${median(alone).toFixed(1)} ms; ${documents} documents beside`,
    ],
  )
}

/** With the threads of the service: one writes, the other moves the write-ahead log. */
async function storeIn(folder: string): Promise<Appender> {
  const thread = startWriterThread()
  const readModels = startReadModels({ onAlarm: () => undefined })
  const checkpointWal = (file: string) => readModels.call('checkpointWal', file)
  const store = await openEmbeddedEventStore({ folder, thread, checkpointWal })
  return {
    append: async (stream, event) => {
      const answer = await store.append({ stream, events: [event], expected: 'no_stream' })
      if (!answer.ok) throw new Error('the stream was there before')
    },
    // as the service does: the thread that moves the log before the one that writes it
    close: async () => {
      await readModels.close()
      await store.close()
      await thread.close()
    },
  }
}

const openFile = promisify(open)
const writeFile = promisify(write)
const syncFile = promisify(fdatasync)

/** While one group is written and synced, the next one gathers. */
async function plainFileIn(folder: string): Promise<Appender> {
  const file = await openFile(join(folder, 'plain'), 'a')
  let waiting: { readonly text: string; readonly done: () => void }[] = []
  let busy = false
  const run = async (): Promise<void> => {
    while (waiting.length > 0) {
      const group = waiting
      waiting = []
      await writeFile(file, Buffer.from(group.map(({ text }) => text).join('')))
      await syncFile(file)
      for (const { done } of group) done()
    }
    busy = false
  }
  return {
    append: (stream, { id, type, data, metadata }) =>
      new Promise((resolve) => {
        waiting.push({ text: `${stream}${id}${type}${data}${metadata}\n`, done: resolve })
        if (busy) return
        busy = true
        setImmediate(() => void run())
      }),
    close: async () => undefined,
  }
}
