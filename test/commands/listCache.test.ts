import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { EntryEvent } from '../../src/events/lists/listEntry.ts'
import { type DecodedEvent, logEpoch } from '../../src/events/recording/event.ts'
import {
  type ListCache,
  type ListCacheOptions,
  type ListedValue,
  openListCache,
  type StoredListValue,
} from '../../src/state/lists/listCache.ts'
import type { RecordedEvent } from '../../src/stores/eventStore.ts'

const account = 'acc_a'
const subjectOf = (number: number) => `${number}${'A'.repeat(10)}${'x'.repeat(11)}`
const placeOf = (number: number): ListedValue => ({
  account,
  list: 'block',
  subject: subjectOf(number),
})

const mayHave = (lists: ListCache, place: ListedValue) => lists.get(place)?.has(place.subject)

const options = {
  bytesMax: 100_000_000,
  epochNowMs: () => 0,
  decode: () => decodedOf(1, undefined),
  passed: async () => true,
}

type Written = { readonly number: number; readonly isAdded: boolean; readonly here: boolean }

/** A log of additions and deletions, a view that lags behind it, and an instance that hears of it later still. */
function openScene() {
  const log: Written[] = []
  let heard = 0
  let viewed = 0
  let reading: Promise<void> = Promise.resolve()
  let nowMs = 0
  const lists = openListCache({
    ...options,
    nowMs: () => (nowMs += 1_000_000),
    decode: ({ position }) => decodedOf(position, log[position - 1]),
    keysOf: async function* (_, list) {
      const standing = new Set<string>()
      for (const { number, isAdded } of log.slice(0, viewed)) {
        if (isAdded) standing.add(subjectOf(number).slice(0, 11))
        else standing.delete(subjectOf(number).slice(0, 11))
      }
      yield list === 'block' ? [...standing].map((subject) => ({ subject })) : []
    },
    passed: async (position) => {
      viewed = Math.max(viewed, heard, position)
      return true
    },
    run: (work) => {
      reading = work()
    },
  })
  const scene = {
    lists,
    write: (written: Written): void => {
      log.push(written)
      if (written.here && written.isAdded) lists.addValue(placeOf(written.number), log.length)
    },
    hear: (count: number): void => {
      for (const until = Math.min(log.length, heard + count); heard < until; heard += 1) {
        lists.applyEvent({ position: heard + 1 } as RecordedEvent)
      }
    },
    read: () => reading,
    /** Numbers that must be said to be on the list: added here or heard, and not deleted since. */
    mustHave: (): number[] => {
      const standing = new Set<number>()
      for (const [index, { number, isAdded, here }] of log.entries()) {
        if (isAdded && (here || index < heard)) standing.add(number)
        if (!isAdded) standing.delete(number)
      }
      return [...standing]
    },
  }
  const take = async (step: Step): Promise<void> => {
    if (step.kind === 'write') scene.write(step)
    if (step.kind === 'hear') scene.hear(step.count)
    if (step.kind === 'invalidate') lists.invalidate()
    if (step.kind === 'ask') mayHave(lists, placeOf(0))
    if (step.kind === 'ask') await reading
  }
  return { ...scene, take }
}

function decodedOf(position: number, written: Written | undefined): DecodedEvent<EntryEvent> {
  const data = { list: 'block', phone_number: '+1', listed_at: 0 } as const
  const type = written?.isAdded ? 'PhoneNumberListed' : 'PhoneNumberUnlisted'
  const subjects = [{ digest: subjectOf(written?.number ?? 0), key: 'k' }]
  const metadata = {
    account,
    actor: '',
    request: '',
    command: '',
    time: 0,
    epoch: logEpoch,
    version: 1,
    subjects,
  }
  return { event: { type, data } as EntryEvent, metadata, stream: '', revision: 0, position }
}

type Step =
  | (Written & { readonly kind: 'write' })
  | { readonly kind: 'hear'; readonly count: number }
  | { readonly kind: 'ask' | 'invalidate' }

const number = fc.integer({ min: 0, max: 5 })
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('write' as const),
    number,
    isAdded: fc.boolean(),
    here: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('hear' as const), count: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ kind: fc.constant('ask' as const) }),
  fc.record({ kind: fc.constant('invalidate' as const) }),
)

describe('lists in memory', () => {
  test('never say that a number is on no list which is known to be on one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const scene = openScene()
        for (const one of steps) {
          await scene.take(one)
          for (const known of scene.mustHave()) {
            expect(mayHave(scene.lists, placeOf(known)) ?? true).toBe(true)
          }
          await scene.read()
        }
      }),
    )
  })

  test('forget a number once its deletion was heard', async () => {
    const { lists, write, hear, read } = openScene()
    write({ number: 1, isAdded: true, here: false })
    hear(1)
    mayHave(lists, placeOf(1))
    await read()

    const before = mayHave(lists, placeOf(1))
    write({ number: 1, isAdded: false, here: false })
    hear(1)

    const left = await lists.size(placeOf(1))
    expect([before, mayHave(lists, placeOf(1)), left]).toEqual([true, false, 0])
  })

  test('tell how many numbers a list has, whoever adds them', async () => {
    const { lists, write, hear } = openScene()
    write({ number: 1, isAdded: true, here: true })
    write({ number: 2, isAdded: true, here: false })

    const read = await lists.size(placeOf(0))
    write({ number: 3, isAdded: true, here: false })
    hear(3)
    const more = await lists.size(placeOf(0))
    write({ number: 1, isAdded: false, here: false })
    hear(1)

    expect([read, more, await lists.size(placeOf(0))]).toEqual([1, 3, 2])
  })
})

const secondMs = 1_000
const full = 1_000

/** A list with these keys, at a time of its own. */
function openList(
  keysOf: ListCacheOptions['keysOf'],
  more: Partial<Pick<ListCacheOptions, 'full' | 'passed'>> = {},
) {
  const scene = { timeMs: 0, reading: Promise.resolve() }
  const lists = openListCache({
    ...options,
    epochNowMs: () => scene.timeMs,
    keysOf,
    run: (work) => {
      scene.reading = work().catch(() => undefined)
    },
    nowMs: () => scene.timeMs,
    full,
    ...more,
  })
  return Object.assign(scene, { lists, size: () => lists.size(placeOf(0)) })
}

describe('the size of a list', () => {
  const ending = (number: number, expiresAtMs: number): StoredListValue => ({
    subject: subjectOf(number),
    expiresAtMs,
  })

  test('that is full counts no entry that has expired a minute ago, and is read again once a minute', async () => {
    let reads = 0
    const scene = openList(
      async function* () {
        reads += 1
        yield [ending(1, secondMs), ending(2, 3_600 * secondMs), { subject: subjectOf(3) }]
      },
      { full: 3 },
    )
    const sizes: (number | undefined)[] = []

    for (const seconds of [0, 59, 60, 62, 120, 600]) {
      scene.timeMs = seconds * secondMs
      sizes.push(await scene.size())
    }

    expect(sizes).toEqual([3, 3, 3, 3, 2, 2])
    expect(reads).toBe(3)
  })

  test('is unknown when it cannot be read, which is tried again soon', async () => {
    let isThere = false
    const scene = openList(
      async function* () {
        yield [{ subject: subjectOf(1) }]
      },
      { passed: async () => isThere },
    )

    const away = await scene.size()
    isThere = true
    scene.timeMs = 200

    expect([away, await scene.size()]).toEqual([undefined, 1])
  })

  test('is waited for once while the list cannot be read: the next command goes on at once', async () => {
    const scene = openList(async function* () {}, { passed: () => new Promise(() => undefined) })
    await scene.size()

    const next = await Promise.race([scene.size(), nextTurn('still waited for')])

    expect(next).toBeUndefined()
  })

  test('is unknown when a list was full a minute ago and cannot be read again', async () => {
    let isThere = true
    const scene = openList(
      async function* () {
        yield [ending(1, secondMs)]
      },
      { full: 1, passed: async () => isThere },
    )

    const before = await scene.size()
    isThere = false
    scene.timeMs = 120 * secondMs
    const away = await scene.size()
    isThere = true
    scene.timeMs += secondMs

    expect([before, away, await scene.size()]).toEqual([1, undefined, 0])
  })

  test('is the most when a list has more than that: it is neither cached nor read again and again', async () => {
    let pages = 0
    const scene = openList(async function* () {
      for (let page = 0; page < 200; page += 1, pages += 1) yield pageOf(page)
    })
    mayHave(scene.lists, placeOf(0))
    await scene.reading
    const read = pages

    expect([mayHave(scene.lists, placeOf(0)), await scene.size(), pages]).toEqual([
      undefined,
      full,
      read,
    ])
    expect(read * pageLength).toBeLessThan(1.1 * full)
  })
})

const pageLength = 20

/** Keys of their own for each page, spread as digests are. */
function pageOf(page: number) {
  return Array.from({ length: pageLength }, (_, index) => {
    const bytes = Buffer.alloc(8)
    const number = page * pageLength + index
    bytes.writeInt32LE(Math.imul(number, 0x9e3779b1), 0)
    bytes.writeInt32LE(Math.imul(number, 0x85ebca6b), 4)
    return { subject: bytes.toString('base64url') }
  })
}
