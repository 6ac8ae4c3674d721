import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { CachedValue } from '../../src/commands/lists/cachedList.ts'
import {
  type CachedLists,
  type ListPlace,
  openCachedLists,
} from '../../src/commands/lists/cachedLists.ts'
import type { PhoneListEvent } from '../../src/events/lists/phoneList.ts'
import { type DecodedEvent, epoch } from '../../src/events/recording/event.ts'
import type { RecordedEvent } from '../../src/stores/eventStore.ts'

const account = 'acc_a'
const subjectOf = (number: number) => `${number}${'A'.repeat(10)}${'x'.repeat(11)}`
const placeOf = (number: number): ListPlace => ({
  account,
  list: 'block',
  subject: subjectOf(number),
})

const mayHave = (lists: CachedLists, place: ListPlace) => lists.held(place)?.has(place.subject)

type Written = { readonly number: number; readonly isAdded: boolean; readonly here: boolean }

/** A log of additions and deletions, a view that lags behind it, and an instance that hears of it later still. */
function openScene() {
  const log: Written[] = []
  let heard = 0
  let viewed = 0
  let reading: Promise<void> = Promise.resolve()
  const lists = openCachedLists({
    bytesMax: 1_000_000,
    timeMs: () => 0,
    decode: ({ position }) => decodedOf(position, log[position - 1]),
    keysOf: async function* (_, list) {
      const standing = new Set<string>()
      for (const { number, isAdded } of log.slice(0, viewed)) {
        if (isAdded) standing.add(subjectOf(number).slice(0, 11))
        else standing.delete(subjectOf(number).slice(0, 11))
      }
      yield list === 'block' ? [...standing].map((subject) => ({ subject })) : []
    },
    sizesOf: async () => [],
    passed: async (position) => {
      viewed = Math.max(viewed, heard, position)
      return true
    },
    run: (work) => {
      reading = work()
    },
    nowMs: (() => {
      let now = 0
      return () => (now += 1_000_000)
    })(),
  })
  const scene = {
    lists,
    write: (written: Written): void => {
      log.push(written)
      if (written.here && written.isAdded) lists.added(placeOf(written.number), log.length)
    },
    hear: (count: number): void => {
      for (const until = Math.min(log.length, heard + count); heard < until; heard += 1) {
        lists.hear({ position: heard + 1 } as RecordedEvent)
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
    if (step.kind === 'distrust') lists.distrust()
    if (step.kind === 'ask') mayHave(lists, placeOf(0))
    if (step.kind === 'ask') await reading
  }
  return { ...scene, take }
}

function decodedOf(position: number, written: Written | undefined): DecodedEvent<PhoneListEvent> {
  const data = { list: 'block', phone_number: '+1', listed_at: 0 } as const
  const type = written?.isAdded ? 'PhoneNumberListed' : 'PhoneNumberUnlisted'
  const subjects = [{ digest: subjectOf(written?.number ?? 0), key: 'k' }]
  const metadata = {
    account,
    actor: '',
    request: '',
    command: '',
    time: 0,
    epoch,
    version: 1,
    subjects,
  }
  return { event: { type, data } as PhoneListEvent, metadata, stream: '', revision: 0, position }
}

type Step =
  | (Written & { readonly kind: 'write' })
  | { readonly kind: 'hear'; readonly count: number }
  | { readonly kind: 'ask' | 'distrust' }

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
  fc.record({ kind: fc.constant('distrust' as const) }),
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

    const left = await lists.size(placeOf(1), 0)
    expect([before, mayHave(lists, placeOf(1)), left]).toEqual([true, false, 0])
  })

  test('tell how many numbers a list has that is not held, whoever adds them', async () => {
    const { lists, write, hear } = openScene()
    write({ number: 1, isAdded: true, here: true })
    write({ number: 2, isAdded: true, here: false })

    const counted = await lists.size(placeOf(0), 0)
    write({ number: 3, isAdded: true, here: false })
    hear(3)
    const more = await lists.size(placeOf(0), 0)
    write({ number: 1, isAdded: false, here: false })
    hear(1)

    // what was counted before it was heard counts twice, until it is counted anew
    expect([counted, more, await lists.size(placeOf(0), 0)]).toEqual([1, 4, 3])
  })

  test('are held no longer than they may be, nor read again and again', async () => {
    let pages = 0
    let reading = Promise.resolve()
    const lists = openCachedLists({
      bytesMax: 100_000_000,
      timeMs: () => 0,
      decode: () => decodedOf(1, undefined),
      keysOf: async function* () {
        for (let page = 0; page < 200; page += 1, pages += 1) yield pageOf(page)
      },
      sizesOf: async () => [],
      passed: async () => true,
      run: (work) => {
        reading = work()
      },
      nowMs: () => 0,
      full,
    })

    mayHave(lists, placeOf(0))
    await reading
    const read = pages
    const again = mayHave(lists, placeOf(0))
    await reading

    expect([again, pages]).toEqual([undefined, read])
    expect(read * pageLength).toBeLessThan(1.1 * full)
    expect(await lists.size(placeOf(0), 0)).toBe(full)
  })
})

describe('entries that expire', () => {
  const secondMs = 1_000
  const hourMs = 3_600 * secondMs
  const ending = (number: number, expiresAtMs: number) => ({
    subject: subjectOf(number),
    expiresAtMs,
  })

  function openEnding(keys: readonly CachedValue[], full: number) {
    const scene = { timeMs: 0, reading: Promise.resolve(), isRead: true }
    const lists = openCachedLists({
      bytesMax: 1_000_000,
      timeMs: () => scene.timeMs,
      decode: ({ position }) => decodedOf(position, { number: 1, isAdded: true, here: true }),
      keysOf: async function* () {
        yield keys
      },
      sizesOf: async () => [],
      passed: async () => true,
      run: (work) => {
        scene.reading = work()
      },
      nowMs: () => scene.timeMs,
      full,
    })
    return Object.assign(scene, { lists, size: () => lists.size(placeOf(0), scene.timeMs) })
  }
  const keys = [ending(1, secondMs), ending(2, hourMs), { subject: subjectOf(3) }]

  test('count until then, whether the list is held or not', async () => {
    const counted = openEnding(keys, 3)
    const held = openEnding(keys, 3)
    mayHave(held.lists, placeOf(1))
    await held.reading
    const sizes: (number | undefined)[][] = []

    for (const timeMs of [0, 60 * secondMs, 2 * hourMs]) {
      for (const scene of [counted, held]) scene.timeMs = timeMs
      sizes.push([await counted.size(), await held.size()])
    }

    expect(sizes).toEqual([
      [3, 3],
      [2, 2],
      // what is not full is not counted anew: it is held to be fuller than it is
      [2, 1],
    ])
  })

  test('are given another end by a change that was heard while the list was read', async () => {
    const scene = openEnding([ending(1, secondMs)], 1)
    mayHave(scene.lists, placeOf(1))

    scene.lists.added({ ...placeOf(1), expiresAtMs: hourMs }, 1)
    await scene.reading
    scene.timeMs = 60 * secondMs

    expect(await scene.size()).toBe(1)
  })

  test('that came to stay keep no end that was given it before, whose answer comes late', async () => {
    const scene = openEnding([{ subject: subjectOf(1) }], 1)
    mayHave(scene.lists, placeOf(1))
    await scene.reading

    // positions 1 and 2: until a time, on this instance, and then for good, on another
    for (const position of [1, 2]) scene.lists.hear({ position } as RecordedEvent)
    scene.lists.added({ ...placeOf(1), expiresAtMs: secondMs }, 1)
    scene.timeMs = 60 * secondMs

    expect(await scene.size()).toBe(1)
  })
})

describe('the sizes of networks', () => {
  const sizeOf = (prefix: number) => ({ version: 4, prefix })
  const networks = { account, list: 'lst_networks' }
  const placeWith = (prefix: number): ListPlace => ({
    ...networks,
    subject: subjectOf(prefix),
    network: sizeOf(prefix),
  })

  /** Lists of which none can be held, and networks of sizes 24 and 32 in the read models. */
  function openSizes() {
    const works: Promise<void>[] = []
    const scene = { reads: 0, isThere: true, pause: Promise.resolve() }
    const lists = openCachedLists({
      bytesMax: 1_000_000,
      timeMs: () => 0,
      decode: () => decodedOf(1, undefined),
      keysOf: async function* () {
        for (let page = 0; page < 200; page += 1) yield pageOf(page)
      },
      sizesOf: async () => {
        scene.reads += 1
        const found = [sizeOf(24), sizeOf(32)]
        await scene.pause
        return found
      },
      passed: async () => scene.isThere,
      run: (work) => {
        works.push(work())
      },
      nowMs: () => 0,
      full,
    })
    return Object.assign(scene, { lists, done: () => Promise.all(works) })
  }
  const prefixes = (sizes: readonly { readonly prefix: number }[] | undefined) =>
    sizes?.map(({ prefix }) => prefix).toSorted((a, b) => a - b)

  test('are known of a list that cannot be held, after one reading and with whatever is added', async () => {
    const scene = openSizes()
    const { lists, done } = scene
    const before = lists.networks(networks)
    await done()

    const read = prefixes(lists.networks(networks))
    lists.added(placeWith(16), 1)
    const added = prefixes(lists.networks(networks))
    await done()

    expect([before, read, added]).toEqual([undefined, [24, 32], [16, 24, 32]])
    expect(scene.reads).toBe(1)
  })

  test('have what was added while they were read, and nothing of before a distrust', async () => {
    let goOn = () => {}
    const scene = openSizes()
    scene.pause = new Promise<void>((resolve) => {
      goOn = resolve
    })
    scene.lists.networks(networks)
    await Promise.resolve()
    scene.lists.added(placeWith(8), 1)
    goOn()
    await scene.done()
    const during = prefixes(scene.lists.networks(networks))

    scene.lists.distrust()
    const after = scene.lists.networks(networks)

    expect([during, after]).toEqual([[8, 24, 32], undefined])
  })

  test('are not known while the read models are behind', async () => {
    const scene = openSizes()
    scene.isThere = false
    scene.lists.networks(networks)
    await scene.done()

    expect([scene.lists.networks(networks), scene.reads]).toEqual([undefined, 0])
  })
})

const full = 1_000
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
