/**
 * Reading the log again: events read from disk, decoded and folded, against parsing frozen texts of such events in
 * memory.
 */

import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DecodedEvent } from '../src/events/recording/event.ts'
import type { RecordedEvent } from '../src/stores/eventStore.ts'
import type { Benchmark } from './benchmark.ts'
import {
  decode,
  evaluationsProjection,
  openEmbeddedEventStore,
  openEmbeddedKeyStore,
  openKeyring,
  openPersonal,
  sealedUnder,
} from './built.ts'
import { figureOf } from './figure.ts'
import { frozenTexts } from './frozenEvaluations.ts'
import { folderWith, logSizes } from './logs.ts'
import { median, ratios } from './statistics.ts'

/** Events of one round: the last of the log, which are all evaluations. */
const eventsOfRound = { full: 20_000, quick: 2_000, smallest: 200 }
const page = 500
const against = '`JSON.parse` of the frozen texts in memory'

/**
 * Measures it with personal data left sealed, and opened as well, the keys of a page had at once. What is folded is
 * sealed in any case.
 */
export const replay: Benchmark = async ({ size }) => {
  const count = eventsOfRound[size]
  const texts = frozenTexts(count)
  const log = await openReplay(await folderWith(logSizes(size).few), count)
  const parsed = async () => {
    for (const text of texts) JSON.parse(text)
  }
  const subjects = { parsed, sealed: log.sealed, opened: log.opened }
  const rates = await rounds(subjects, { count, rounds: { full: 15, quick: 7, smallest: 1 }[size] })
  await log.close()
  const question = (state: string, target: number) => ({
    name: `replay: events read, decoded, folded per second, personal data ${state}`,
    against,
    unit: 'of its events/s',
    target: { bound: 'at least', value: target } as const,
  })
  const notes = (own: readonly number[]) => [
    `Vigil ${median(own).toFixed(0)}/s, JSON.parse ${median(rates.parsed).toFixed(0)}/s, log of ${log.head} events`,
  ]
  return [
    figureOf(question('sealed', 0.45), ratios(rates.sealed, rates.parsed), notes(rates.sealed)),
    figureOf(question('opened', 0.25), ratios(rates.opened, rates.parsed), notes(rates.opened)),
  ]
}

/** The last events of the log of a folder that nobody else has open, to be read and folded, sealed or opened. */
export async function openReplay(folder: string, count: number) {
  const store = await openEmbeddedEventStore({ folder })
  const masterKey = Buffer.from(readFileSync(join(folder, 'master.key'), 'utf8').trim(), 'hex')
  const random = { bytes: (length: number) => randomBytes(length) }
  const clock = { nowMs: () => Date.now() }
  const keys = openEmbeddedKeyStore({ folder, masterKey, clock, random })
  const keyring = await openKeyring({ store: keys, masterKey, random })
  const head = await store.head()
  const after = Math.max(0, head - count)
  const pages = async (each: (events: readonly RecordedEvent[]) => void | Promise<void>) => {
    for (let at = after; at < head; at += page) {
      await each(await store.readAll({ after: at, limit: page }))
    }
  }
  const fold = folding()
  const folded = (event: RecordedEvent): DecodedEvent => {
    const decoded = decode(event)
    fold(decoded)
    return decoded
  }
  return {
    head,
    sealed: () =>
      pages((events) => {
        for (const event of events) folded(event)
      }),
    opened: () =>
      pages(async (events) => {
        const decoded = events.map(folded)
        const keys = await keyring.keys([...new Set(decoded.flatMap(sealedUnder))])
        for (const one of decoded) openPersonal(one, keys)
      }),
    close: async () => {
      await keyring.close()
      await keys.close()
      await store.close()
    },
  }
}

/** Puts every evaluation into a document, as the projection of the evaluations does. */
function folding(): (decoded: DecodedEvent) => void {
  const documents = new Map<string, unknown>()
  const types: readonly string[] = evaluationsProjection.eventTypes
  return (decoded) => {
    if (!types.includes(decoded.event.type)) return
    for (const target of evaluationsProjection.targets(decoded)) {
      documents.set(target.id, evaluationsProjection.apply(undefined, decoded, target))
    }
  }
}

type Subjects = Readonly<Record<'parsed' | 'sealed' | 'opened', () => Promise<void>>>
type Rates = Readonly<Record<keyof Subjects, readonly number[]>>

/** Events per second in each round, after one that does not count. */
async function rounds(
  subjects: Subjects,
  run: { readonly count: number; readonly rounds: number },
): Promise<Rates> {
  const names = Object.keys(subjects) as (keyof Subjects)[]
  const rates = { parsed: [] as number[], sealed: [] as number[], opened: [] as number[] }
  for (let round = -1; round < run.rounds; round += 1) {
    for (const name of names) {
      const begunMs = performance.now()
      await subjects[name]()
      const rate = (run.count * 1000) / (performance.now() - begunMs)
      if (round >= 0) rates[name].push(rate)
    }
  }
  return rates
}
