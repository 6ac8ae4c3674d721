/** Caches accounts' lists, so that looking up a value that is not listed reads no store. */

import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { openWeighedCache } from '../../domain/load/weighedCache.ts'
import { type EntryEvent, requireEntrySubject, toEntryFact } from '../../events/lists/listEntry.ts'
import type { DecodedEvent } from '../../events/recording/event.ts'
import type { RecordedEvent } from '../../stores/eventStore.ts'
import { entriesMax } from './changeListEntries.ts'
import { type CachedList, type CachedValue, createCachedList } from './listDigestSet.ts'

/** One list of an account. */
interface ListRef {
  readonly account: string
  /** A phone list by its name, any other by its id. */
  readonly list: string
}

/** One value on one list of an account. */
export interface ListedValue extends ListRef, CachedValue {}

/** A value is cached as 64 bits of its subject digest: a match means that it may be on the list, no match that it is on none. */
export interface ListCache {
  /**
   * The list, with every value that may be on it, for this turn of the event loop; undefined while it is not cached, which has it read
   * in the background.
   */
  readonly get: (of: ListRef) => Pick<CachedList, 'has' | 'networks'> | undefined
  /** How many values the list has, expired ones included for a minute; undefined when it cannot be read soon. */
  readonly size: (of: ListRef) => Promise<number | undefined>
  /** The value was put on the list here, at a position of the log. */
  readonly addValue: (listed: ListedValue, position: number) => void
  /** An event that was heard in the log. Throws when it cannot be decoded. */
  readonly hear: (recorded: RecordedEvent) => void
  /** Forgets all lists: events may have been missed. */
  readonly distrust: () => void
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
  /** Waits, within a limit, until the read models have passed what was heard, and this position; false when they have not. */
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
/** How long a command waits for the size of a list that is being read. */
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
  readonly list: CachedList
  /** Never rejects. */
  done: Promise<void>
}

/** Opens an empty cache. */
export function openListCache(options: ListCacheOptions): ListCache {
  const { nowMs = () => performance.now(), full = entriesMax } = options
  const memory = openCacheState(options.bytesMax, full)
  let restsUntilMs = Number.NEGATIVE_INFINITY
  let addedUpTo = 0

  const read = async (of: ListRef, list: CachedList): Promise<void> => {
    const startedMs = nowMs()
    let isRead = false
    try {
      if (!(await options.passed(addedUpTo))) return
      await readKeysInto(options, of, list)
      isRead = true
    } finally {
      restsUntilMs = nowMs() + (isRead ? 0 : retryDelayMs) + (nowMs() - startedMs) * timeParts
      memory.end(list, isRead ? nowMs() : undefined)
    }
  }

  /** Begins to read the list, unless another one is being read or none may be. */
  const begin = (of: ListRef): void => {
    if (memory.isReading() || nowMs() < restsUntilMs) return
    options.run(() => memory.begin(of, (list) => read(of, list)))
  }

  return {
    get: (of) => {
      const known = memory.get(of)
      if (known?.list) return known.list
      if (!known || nowMs() >= known.readMs + tooLargeMs) begin(of)
      return undefined
    },
    size: async (of) => {
      const isKnown = (size: number | undefined): boolean =>
        size !== undefined && (size < full || nowMs() < (memory.get(of)?.readMs ?? 0) + fullMs)
      const known = memory.size(of)
      if (isKnown(known)) return known
      begin(of)
      await Promise.race([memory.reading(of), sleep(sizeWaitMs, undefined, { ref: false })])
      // of a list that was full and is not read again yet, entries may have expired since
      const read = memory.size(of)
      return isKnown(read) ? read : undefined
    },
    addValue: (listed, position) => {
      addedUpTo = Math.max(addedUpTo, position)
      memory.change(listed, (list) => list.add(listed))
    },
    hear: (recorded) => {
      if (memory.isEmpty()) return
      const { listed, isAdded } = readEntryChange(options.decode(recorded))
      if (isAdded) memory.change(listed, (list) => list.add(listed))
      // what was added here since is not deleted by what is heard later
      else if (recorded.position > addedUpTo) memory.change(listed, (list) => list.delete(listed))
    },
    distrust: memory.clear,
  }
}

/** The lists that are cached, and the one that is being read. */
function openCacheState(bytesMax: number, full: number) {
  const cache = openWeighedCache<ReadList>(bytesMax)
  let reading: Reading | undefined

  const set = (key: string, { list, readMs }: ReadList): void => {
    const isTooLarge = !list || list.size() > full * fullMargin
    const bytes = listOverheadBytes + (isTooLarge ? 0 : list.bytes())
    cache.set(key, { list: isTooLarge ? undefined : list, readMs }, bytes)
  }

  return {
    get: (of: ListRef) => cache.get(formatListKey(of)),
    size: (of: ListRef): number | undefined => {
      const known = cache.get(formatListKey(of))
      return known && (known.list?.size() ?? full)
    },
    isReading: (): boolean => reading !== undefined,
    isEmpty: (): boolean => reading === undefined && cache.isEmpty(),
    change: (of: ListRef, work: (list: CachedList) => void): void => {
      const key = formatListKey(of)
      if (reading?.key === key) work(reading.list)
      const known = cache.get(key)
      if (!known?.list) return
      work(known.list)
      set(key, known)
    },
    /** Reads the list into an empty one, into which every change goes from now on. */
    begin: (of: ListRef, read: (list: CachedList) => Promise<void>): Promise<void> => {
      const list = createCachedList()
      reading = { key: formatListKey(of), list, done: Promise.resolve() }
      const done = read(list)
      reading.done = done.catch(() => undefined)
      return done
    },
    /** Resolves when the list is no longer being read. */
    reading: async (of: ListRef): Promise<void> => {
      if (reading?.key === formatListKey(of)) await reading.done
    },
    /** Caches the list once it is read, unless the lists were forgotten meanwhile. */
    end: (list: CachedList, readMs: number | undefined): void => {
      if (reading?.list !== list) return
      if (readMs !== undefined) set(reading.key, { list, readMs })
      reading = undefined
    },
    clear: (): void => {
      reading = undefined
      cache.clear()
    },
  }
}

function formatListKey({ account, list }: ListRef): string {
  return `${account} ${list}`
}

function readEntryChange(decoded: DecodedEvent) {
  const { event, metadata } = decoded as DecodedEvent<EntryEvent>
  const { list, network, isListed: isAdded } = toEntryFact(event)
  const subject = requireEntrySubject(metadata)
  return { listed: { account: metadata.account, list, subject, network }, isAdded }
}

/** Adds the keys of the list, up to some more than a list may have. */
async function readKeysInto(
  { keysOf, epochNowMs: timeMs, full = entriesMax }: ListCacheOptions,
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
