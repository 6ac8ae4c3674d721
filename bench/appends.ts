/** Durable appends of the event store, against the plainest thing that is durable: the same bytes gathered into a file and synced. */

import { fdatasync, open, write } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Appender, appendsPerSecond, sampleEvents } from './appendLoad.ts'
import type { Benchmark } from './benchmark.ts'
import { openEmbeddedEventStore } from './built.ts'
import { temporaryFolder } from './childProcess.ts'
import { figureOf } from './figure.ts'
import { folderWith, logSizes } from './logs.ts'
import { median, ratios } from './statistics.ts'

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
  await store.close()
  await file.close()
  folder.remove()
  return figures
}

async function storeIn(folder: string): Promise<Appender> {
  const store = await openEmbeddedEventStore({ folder })
  return {
    append: async (stream, event) => {
      const answer = await store.append({ stream, events: [event], expected: 'no_stream' })
      if (!answer.ok) throw new Error('the stream was there before')
    },
    close: store.close,
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
