/** Caches accounts' lists, so that looking up a value that is not listed reads no store. */

import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { openWeighedCache } from '../../domain/load/weighedCache.ts'
import { type EntryEvent, requireEntrySubject, toEntryFact } from '../../events/lists/listEntry.ts'
import type { DecodedEvent } from '../../events/recording/event.ts'
import type { RecordedEvent } from '../../stores/eventStore.ts'
import { type CachedList, type CachedValue, createCachedList } from './listDigestSet.ts'

/** How many entries a list may have. */
export const entriesMax = 1_000_000

/** One list of an account. */
interface ListRef {
  readonly account: string
  /** A phone list by its name, any other by its id. */
  readonly list: string
}

/** One value on one list of an account. */
export interface ListedValue extends ListRef, CachedValue {}

/**
 * A value is cached as 64 bits of its subject digest: a match means that it may be on the list, no match that it is on
 * none.
 */
export interface ListCache {
  /**
   * The list, with every value that may be on it, for this turn of the event loop; undefined while it is not cached,
   * which has it read in the background.
   */
  readonly get: (of: ListRef) => Pick<CachedList, 'has' | 'networks'> | undefined
  /** How many values the list has, expired ones included for a minute; undefined when it cannot be read soon. */
  readonly size: (of: ListRef) => Promise<number | undefined>
  /** The value was put on the list here, at a position of the log. */
  readonly addValue: (listed: ListedValue, position: number) => void
  /** An event that was followed in the log. Throws when it cannot be decoded. */
  readonly applyEvent: (recorded: RecordedEvent) => void
  /** Forgets all lists: events may have been missed. */
  readonly invalidate: () => void
}

/** A key of a list in the read models. */
export interface StoredListValue extends CachedValue {
  /** In milliseconds since the Unix epoch; undefined for an entry that stays. */
  readonly expiresAtMs?: number | undefined
}

export interface ListCacheOptions {
  /** About how many bytes all lists may take. */
  readonly bytesMax: number
  readonly decode: (recorded: RecordedEvent) => DecodedEvent
  /** The keys of a list as the read models have them or newer, page by page. */
  readonly keysOf: (account: string, list: string) => AsyncIterable<readonly StoredListValue[]>
  /**
   * Waits, within a limit, until the read models have passed what was followed, and this position; false when they have
   * not.
   */
  readonly passed: (position: number) => Promise<boolean>
  /** Runs work that no answer waits for. */
  readonly run: (work: () => Promise<void>) => void
  /** A clock that never goes back. */
  readonly nowMs?: () => number
  /** Now, in milliseconds since the Unix epoch. */
  readonly epochNowMs: () => number
  /** How many values a list may have. */
  readonly full?: number
}

/** Reading lists takes at most one part of the time in so many. */
const timeParts = 5
/** How long no list is read after one that could not be. */
const retryDelayMs = 200
/** How long commands wait for the size of a list, from when it begins to be read. */
const sizeWaitMs = 2_000
/** How long a full list is not read again, and expired entries are still read. */
const fullMs = 60_000
const endedMs = 60_000
/** A list is cached with some values more than it may have, which instances may have added in the same moment. */
const fullMargin = 1.05
/** How long a list that has even more is not read again for evaluations. */
const tooLargeMs = 10 * 60 * 1_000

/** What a list takes beside its keys. */
const listOverheadBytes = 1_000

interface ReadList {
  /** Undefined for a list of too many values. */
  readonly list: CachedList | undefined
  readonly readMs: number
}

interface Reading {
  readonly key: string
  /** Has every change since the reading began, too. */
  readonly list: CachedList
  /** Settles when the list is read or `sizeWaitMs` are over: all lines of an import wait once. Never rejects. */
  done: Promise<void>
}

interface CacheState {
  readonly options: Required<ListCacheOptions>
  readonly lists: ReturnType<typeof openWeighedCache<ReadList>>
  reading: Reading | undefined
  /** No list is read before this time. */
  restsUntilMs: number
  /** Position of the last value that was added here. */
  addedUpTo: number
}

/** Opens an empty cache. */
export function openListCache(given: ListCacheOptions): ListCache {
  const options = { nowMs: () => performance.now(), full: entriesMax, ...given }
  const { nowMs, full } = options
  const lists = openWeighedCache<ReadList>(options.bytesMax)
  const state: CacheState = {
    options,
    lists,
    reading: undefined,
    restsUntilMs: Number.NEGATIVE_INFINITY,
    addedUpTo: 0,
  }

  const findSize = (of: ListRef): number | undefined => {
    const known = lists.get(formatListKey(of))
    if (!known) return undefined
    const size = known.list?.size() ?? full
    // of a list that was full and is not read again yet, entries may have expired since
    return size < full || nowMs() < known.readMs + fullMs ? size : undefined
  }

  return {
    get: (of) => {
      const known = lists.get(formatListKey(of))
      if (known?.list) return known.list
      if (!known || nowMs() >= known.readMs + tooLargeMs) beginReading(state, of)
      return undefined
    },
    size: async (of) => {
      const known = findSize(of)
      if (known !== undefined) return known
      beginReading(state, of)
      const { reading } = state
      if (reading?.key !== formatListKey(of)) return findSize(of)
      await reading.done
      return findSize(of)
    },
    addValue: (listed, position) => {
      state.addedUpTo = Math.max(state.addedUpTo, position)
      changeList(state, listed, 'add')
    },
    applyEvent: (recorded) => {
      if (!state.reading && lists.isEmpty()) return
      const { event, metadata } = options.decode(recorded) as DecodedEvent<EntryEvent>
      const { list, network, isListed } = toEntryFact(event)
      const { account } = metadata
      const listed = { account, list, subject: requireEntrySubject(metadata), network }
      // what was added here since is not deleted by what is followed later
      if (isListed || recorded.position > state.addedUpTo) {
        changeList(state, listed, isListed ? 'add' : 'delete')
      }
    },
    invalidate: () => {
      state.reading = undefined
      lists.clear()
    },
  }
}

function formatListKey({ account, list }: ListRef): string {
  return `${account} ${list}`
}

function changeList(state: CacheState, listed: ListedValue, change: 'add' | 'delete'): void {
  const key = formatListKey(listed)
  if (state.reading?.key === key) state.reading.list[change](listed)
  const known = state.lists.get(key)
  if (!known?.list) return
  known.list[change](listed)
  cacheList(state, key, known)
}

function cacheList({ lists, options }: CacheState, key: string, { list, readMs }: ReadList): void {
  const isTooLarge = !list || list.size() > options.full * fullMargin
  const bytes = listOverheadBytes + (isTooLarge ? 0 : list.bytes())
  lists.set(key, { list: isTooLarge ? undefined : list, readMs }, bytes)
}

/** Begins to read the list, unless another one is being read or none may be. */
function beginReading(state: CacheState, of: ListRef): void {
  const { nowMs, run } = state.options
  if (state.reading || nowMs() < state.restsUntilMs) return
  run(() => {
    const list = createCachedList()
    const reading = { key: formatListKey(of), list, done: Promise.resolve() }
    state.reading = reading
    const done = readList(state, of, reading)
    const late = sleep(sizeWaitMs, undefined, { ref: false })
    reading.done = Promise.race([done.catch(() => undefined), late])
    return done
  })
}

async function readList(state: CacheState, of: ListRef, { key, list }: Reading): Promise<void> {
  const { nowMs, passed } = state.options
  const startedMs = nowMs()
  let isRead = false
  try {
    if (!(await passed(state.addedUpTo))) return
    await readKeysInto(state.options, of, list)
    isRead = true
  } finally {
    state.restsUntilMs = nowMs() + (isRead ? 0 : retryDelayMs) + (nowMs() - startedMs) * timeParts
    // not cached when the lists were forgotten meanwhile
    if (state.reading?.list === list) {
      if (isRead) cacheList(state, key, { list, readMs: nowMs() })
      state.reading = undefined
    }
  }
}

/** Adds the keys of the list, up to some more than a list may have. */
async function readKeysInto(
  { keysOf, epochNowMs: timeMs, full }: Required<ListCacheOptions>,
  { account, list }: ListRef,
  into: CachedList,
): Promise<void> {
  for await (const page of keysOf(account, list)) {
    const untilMs = timeMs() - endedMs
    for (const { expiresAtMs = Infinity, ...value } of page) {
      if (expiresAtMs > untilMs) into.add(value)
    }
    if (into.size() > full * fullMargin) return
    await nextTurn()
  }
}
