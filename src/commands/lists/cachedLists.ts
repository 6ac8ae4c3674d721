/**
 * Caches the lists of accounts, so that checking a value on no list reads no store.
 * A value is cached as 64 bits of its subject digest: when they are present it may be on the list, and when they are not it is on none.
 */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { Failure } from '../../domain/failure.ts'
import { weighedCache } from '../../domain/load/weighedCache.ts'
import { type EntryEvent, entryFact, type NetworkSize } from '../../events/lists/listEntry.ts'
import type { DecodedEvent } from '../../events/recording/event.ts'
import type { RecordedEvent } from '../../stores/eventStore.ts'
import { type CachedList, type CachedValue, cachedList } from './cachedList.ts'
import { openCountedLists } from './countedLists.ts'
import { entriesMax } from './entries.ts'
import { openNetworkSizes } from './networkSizes.ts'

/** One list of an account. */
interface ListOf {
  readonly account: string
  /** A phone list by its name, any other by its id. */
  readonly list: string
}

/** One value on one list of an account. */
export interface ListPlace extends ListOf, CachedValue {}

export interface CachedLists {
  /**
   * The list, which has every value that may stand on it, to be asked in this turn of the event loop; undefined while it is not held,
   * which has it read in the background.
   */
  readonly held: (of: ListOf) => Pick<CachedList, 'has' | 'networks'> | undefined
  /** The sizes of the networks on the list, held or not; undefined while they are not known, which has them read in the background. */
  readonly networks: (of: ListOf) => readonly NetworkSize[] | undefined
  /** How many values the list has at a time, held or not, by whichever instance, as far as they are counted; undefined where that cannot be told soon. */
  readonly size: (of: ListOf, timeMs: number) => Promise<number | undefined>
  /** The value was put on the list here, at a position of the log; what was heard before that is told may have been changed since. */
  readonly added: (place: ListPlace, position: number) => void
  /** An event that was heard in the log. Throws when it cannot be decoded. */
  readonly hear: (recorded: RecordedEvent) => void
  /** Nothing that is held is to be trusted. */
  readonly distrust: () => void
}

/** What the sizes of networks may take, as a part of what the lists may. */
const sizesPart = 1 / 16

export interface CachedListsOptions {
  /** About how many bytes all lists may take. */
  readonly bytesMax: number
  readonly decode: (recorded: RecordedEvent) => DecodedEvent
  /** The keys of a list as the read models have them or newer, page by page: beginnings of subject digests. */
  readonly keysOf: (account: string, list: string) => AsyncIterable<readonly CachedValue[]>
  /** The sizes of the networks on a list as the read models have them or newer. */
  readonly sizesOf: (account: string, list: string) => Promise<readonly NetworkSize[]>
  /** Waits, within a limit, until the read models have passed what was heard, and this position; false when they have not. */
  readonly passed: (position: number) => Promise<boolean>
  /** Does what nobody waits for. */
  readonly run: (work: () => Promise<void>) => void
  /** A clock that never goes back. */
  readonly nowMs?: () => number
  /** Now, in milliseconds since the Unix epoch. */
  readonly timeMs: () => number
  /** How many values a list may have. */
  readonly full?: number
}

/** Reading lists takes at most one part of the time in so many. */
const timeParts = 5
/** How long no list is read after one that could not be. */
const restMs = 200

/** Of some hundred bytes each; with more the log is not heard any more. */
const unheardMax = 50_000

/** A list is held with some values more than it may have, which instances may have added in the same moment. */
const heldPart = 1.05
/** How long a list that has even more is not read again. */
const oversizedMs = 10 * 60 * 1_000
const oversizedMax = 1_000

/** What a list takes beside its keys. */
const ownBytes = 1_000

/** Opens the lists in memory: none at first. */
export function openCachedLists(options: CachedListsOptions): CachedLists {
  const { nowMs = () => performance.now(), full = entriesMax } = options
  const memory = openMemory(options)
  const unheard = openUnheard()
  const oversized = openOversized(nowMs)
  const count = (name: string) => countKeys(options, listOf(name), reached.added)
  const counted = openCountedLists({ full, nowMs, count })
  let restsUntilMs = Number.NEGATIVE_INFINITY
  const reached = { added: 0, heard: 0 }
  const read = (name: string) => readSizes(options, listOf(name), reached.added)
  const bytesMax = options.bytesMax * sizesPart
  const sizes = openNetworkSizes({ bytesMax, run: options.run, nowMs, read })
  const known = [memory, unheard, counted, sizes]

  const hold = async (of: ListOf): Promise<void> => {
    const startedMs = nowMs()
    // what is heard from now on goes into the list that is being read
    const list = memory.begin(of)
    let isWhole = false
    try {
      if (!(await options.passed(reached.added))) return
      isWhole = await fill(options, of, list)
      if (!isWhole) oversized.note(of)
    } finally {
      memory.end(list, isWhole)
      restsUntilMs = nowMs() + (isWhole ? 0 : restMs) + (nowMs() - startedMs) * timeParts
    }
  }

  const held = (of: ListOf): CachedList | undefined => {
    const list = memory.get(of)
    if (list) return list
    const mayRead = !memory.isReading() && nowMs() >= restsUntilMs && !oversized.has(of)
    if (mayRead) options.run(() => hold(of))
    return undefined
  }

  return {
    held,
    networks: (of) => held(of)?.networks() ?? sizes.get(keyOf(of)),
    size: async (of, timeMs) => memory.get(of)?.size(timeMs, full) ?? counted.size(keyOf(of)),
    added: (place, position) => {
      reached.added = Math.max(reached.added, position)
      if (place.network) sizes.note(keyOf(place), place.network)
      if (position <= reached.heard || !memory.has(place)) return
      if (unheard.isFull()) clearAll(known)
      unheard.note(place, position)
      memory.change(place, (list) => list.add(place))
    },
    hear: (recorded) => {
      reached.heard = Math.max(reached.heard, recorded.position)
      if (known.every((one) => one.isEmpty())) return
      const { place, isAdded, change } = heardOf(options.decode(recorded))
      const isOld = unheard.hear(place, recorded.position)
      counted.change(keyOf(place), change)
      if (isAdded && place.network) sizes.note(keyOf(place), place.network)
      memory.change(place, (list) => {
        if (isAdded) list.add(place)
        else if (!isOld) list.delete(place)
      })
    },
    distrust: () => clearAll(known),
  }
}

function clearAll(known: readonly { readonly clear: () => void }[]): void {
  for (const one of known) one.clear()
}

/** The lists that were too long to be held, for some time. */
function openOversized(nowMs: () => number) {
  const untilMs = new Map<string, number>()
  return {
    note: (of: ListOf): void => {
      if (untilMs.size >= oversizedMax) untilMs.clear()
      untilMs.set(keyOf(of), nowMs() + oversizedMs)
    },
    has: (of: ListOf): boolean => nowMs() < (untilMs.get(keyOf(of)) ?? 0),
  }
}

/** The lists that are held, and the one that is being read. */
function openMemory({ bytesMax, timeMs }: Pick<CachedListsOptions, 'bytesMax' | 'timeMs'>) {
  const held = weighedCache<CachedList>(bytesMax)
  let reading: { readonly key: string; readonly list: CachedList } | undefined
  const hold = (key: string, list: CachedList): void => held.set(key, list, ownBytes + list.bytes())
  return {
    get: (of: ListOf) => held.get(keyOf(of)),
    has: (of: ListOf): boolean => reading?.key === keyOf(of) || held.get(keyOf(of)) !== undefined,
    isReading: (): boolean => reading !== undefined,
    isEmpty: (): boolean => reading === undefined && held.isEmpty(),
    change: (of: ListOf, work: (list: CachedList) => void): void => {
      const key = keyOf(of)
      if (reading?.key === key) work(reading.list)
      const list = held.get(key)
      if (!list) return
      work(list)
      hold(key, list)
    },
    begin: (of: ListOf): CachedList => {
      reading = { key: keyOf(of), list: cachedList(timeMs) }
      return reading.list
    },
    /** Nothing is held of a list that was cleared while it was read. */
    end: (list: CachedList, isWhole: boolean): void => {
      if (reading?.list !== list) return
      if (isWhole) hold(reading.key, list)
      reading = undefined
    },
    clear: (): void => {
      reading = undefined
      held.clear()
    },
  }
}

function keyOf({ account, list }: ListOf): string {
  return `${account} ${list}`
}

function listOf(name: string): ListOf {
  const [account = '', list = ''] = name.split(' ')
  return { account, list }
}

function heardOf(decoded: DecodedEvent) {
  const { event, metadata } = decoded as DecodedEvent<EntryEvent>
  const { account, subjects = [], time } = metadata
  const [subject] = subjects
  if (!subject) throw new Error(`${event.type} is about nobody`)
  const fact = entryFact(event)
  const { list, network, isListed: isAdded } = fact
  const isNew = fact.isListed && fact.said.listed_at === time
  const change = isNew ? 1 : isAdded ? 0 : -1
  const expiresAtMs = fact.isListed ? fact.said.expires_at : undefined
  return {
    place: { account, list, subject: subject.digest, network, expiresAtMs },
    isAdded,
    change,
  }
}

/** What was put on held lists here and has not been heard yet. */
function openUnheard() {
  const positions = new Map<string, number>()
  const nameOf = ({ subject, ...of }: ListPlace): string => `${keyOf(of)} ${subject}`
  return {
    note: (place: ListPlace, position: number): void => {
      positions.set(nameOf(place), position)
    },
    /** Whether the value was put on the list again after what is heard now, which is not to be taken back. */
    hear: (place: ListPlace, position: number): boolean => {
      const name = nameOf(place)
      const isOld = (positions.get(name) ?? 0) > position
      if (!isOld) positions.delete(name)
      return isOld
    },
    isEmpty: (): boolean => positions.size === 0,
    isFull: (): boolean => positions.size >= unheardMax,
    clear: (): void => positions.clear(),
  }
}

/** False for a list of too many values, which is left where it is. */
async function fill(
  { keysOf, timeMs, full = entriesMax }: CachedListsOptions,
  { account, list }: ListOf,
  into: CachedList,
): Promise<boolean> {
  for await (const page of keysOf(account, list)) {
    // what was heard meanwhile is newer
    for (const value of page) if (!into.has(value.subject)) into.add(value)
    const tooMany = full * heldPart
    if (into.size(timeMs(), tooMany) > tooMany) return false
    await nextTurn()
  }
  return true
}

/** How many values that have not expired the read models have of it, once they have passed the position. Throws `unavailable` while they have not. */
async function countKeys(
  { keysOf, passed, timeMs, full = entriesMax }: CachedListsOptions,
  { account, list }: ListOf,
  position: number,
): Promise<number> {
  if (!(await passed(position))) throw behind()
  let count = 0
  for await (const page of keysOf(account, list)) {
    const nowMs = timeMs()
    count += page.filter(({ expiresAtMs = Number.POSITIVE_INFINITY }) => expiresAtMs > nowMs).length
    if (count >= full) return count
    await nextTurn()
  }
  return count
}

/** The sizes that the read models have of it, once they have passed the position; undefined while they have not. */
async function readSizes(
  { sizesOf, passed }: CachedListsOptions,
  { account, list }: ListOf,
  position: number,
): Promise<readonly NetworkSize[] | undefined> {
  return (await passed(position)) ? sizesOf(account, list) : undefined
}

function behind(): Failure {
  const message = 'The read models are behind; try again.'
  return new Failure('unavailable', message, { retryAfterSeconds: 1 })
}
