/**
 * The phone lists of accounts in memory, so that a number on no list is known to be on none without a question to a store. What is held
 * of a number are 64 bits of its subject digest: it may be on the list when they are there, and is on none when they are not.
 */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { heldByWeight } from '../../domain/heldByWeight.ts'
import { type Key, type KeySet, keySet } from '../../domain/keySet.ts'
import { type PhoneList, phoneLists } from '../../domain/phoneLists.ts'
import type { PhoneListEvent } from '../../events/lists/phoneList.ts'
import type { DecodedEvent } from '../../events/recording/event.ts'
import type { RecordedEvent } from '../../stores/eventStore.ts'

/** One number on one list of an account. */
export interface ListPlace {
  readonly account: string
  readonly list: PhoneList
  /** Subject digest of the number. */
  readonly subject: string
}

export interface HeldLists {
  /** Whether the number may be on the list; undefined while the account's lists are not held, which has them read in the background. */
  readonly mayHave: (place: ListPlace) => boolean | undefined
  /** How many numbers the list is known to have; 0 while it is not held. */
  readonly size: (place: Pick<ListPlace, 'account' | 'list'>) => number
  /** The number was put on the list here, at a position of the log. */
  readonly added: (place: ListPlace, position: number) => void
  /** An event that was heard in the log. Throws when it cannot be decoded. */
  readonly hear: (recorded: RecordedEvent) => void
  /** Nothing that is held is to be trusted. */
  readonly distrust: () => void
}

export interface HeldListsOptions {
  /** About how many bytes all lists may take. */
  readonly bytesMax: number
  readonly decode: (recorded: RecordedEvent) => DecodedEvent
  /** The keys of a list as the read models have them or newer, page by page: beginnings of subject digests. */
  readonly keysOf: (account: string, list: PhoneList) => AsyncIterable<readonly string[]>
  /** Waits, within a limit, until the read models have passed what was heard, and this position; false when they have not. */
  readonly passed: (position: number) => Promise<boolean>
  /** Does what nobody waits for. */
  readonly run: (work: () => Promise<void>) => void
  /** A clock that never goes back. */
  readonly nowMs?: () => number
}

type Lists = Readonly<Record<PhoneList, KeySet>>

/** Reading lists takes at most one part of the time in so many. */
const timeParts = 5
const restMs = 200

/** Of some hundred bytes each; with more the log is not heard any more. */
const unheardMax = 50_000

/** Opens the lists in memory: none at first. */
export function openHeldLists(options: HeldListsOptions): HeldLists {
  const { nowMs = () => performance.now() } = options
  const memory = openMemory(options.bytesMax)
  const unheard = openUnheard()
  let restsUntilMs = Number.NEGATIVE_INFINITY
  let addedTo = 0

  const distrust = (): void => {
    memory.clear()
    unheard.clear()
  }

  const read = async (account: string): Promise<void> => {
    const startedMs = nowMs()
    // what is heard from now on goes into the lists that are being read
    const lists = memory.begin(account)
    let isWhole = false
    try {
      if (!(await options.passed(addedTo))) return
      await fill(options, account, lists)
      isWhole = true
    } finally {
      memory.end(lists, isWhole)
      restsUntilMs = nowMs() + restMs + (nowMs() - startedMs) * timeParts
    }
  }

  return {
    mayHave: ({ account, list, subject }) => {
      const lists = memory.get(account)
      if (lists) return lists[list].has(keyOf(subject))
      if (!memory.isReading() && nowMs() >= restsUntilMs) options.run(() => read(account))
      return undefined
    },
    size: ({ account, list }) => memory.get(account)?.[list].size() ?? 0,
    added: (place, position) => {
      addedTo = Math.max(addedTo, position)
      if (!memory.has(place.account)) return
      if (unheard.isFull()) distrust()
      unheard.note(place, position)
      memory.change(place.account, (lists) => lists[place.list].add(keyOf(place.subject)))
    },
    hear: (recorded) => {
      if (memory.isEmpty() && unheard.isEmpty()) return
      const { place, isAdded } = heardOf(options.decode(recorded) as DecodedEvent<PhoneListEvent>)
      const isOld = unheard.hear(place, recorded.position)
      const key = keyOf(place.subject)
      memory.change(place.account, ({ [place.list]: keys }) => {
        if (isAdded) keys.add(key)
        else if (!isOld) keys.delete(key)
      })
    },
    distrust,
  }
}

/** The lists that are held, and those that are being read. */
function openMemory(bytesMax: number) {
  const held = heldByWeight<string, Lists>(bytesMax)
  let reading: { readonly account: string; readonly lists: Lists } | undefined
  const hold = (account: string, lists: Lists): void => held.set(account, lists, bytesOf(lists))
  return {
    get: held.get,
    has: (account: string): boolean =>
      reading?.account === account || held.get(account) !== undefined,
    isReading: (): boolean => reading !== undefined,
    isEmpty: (): boolean => reading === undefined && held.weight() === 0,
    change: (account: string, work: (lists: Lists) => void): void => {
      if (reading?.account === account) work(reading.lists)
      const lists = held.get(account)
      if (!lists) return
      work(lists)
      hold(account, lists)
    },
    begin: (account: string): Lists => {
      reading = { account, lists: { allow: keySet(), block: keySet() } }
      return reading.lists
    },
    /** Nothing is held of lists that were cleared while they were read. */
    end: (lists: Lists, isWhole: boolean): void => {
      if (reading?.lists !== lists) return
      if (isWhole) hold(reading.account, lists)
      reading = undefined
    },
    clear: (): void => {
      reading = undefined
      held.clear()
    },
  }
}

function heardOf({ event, metadata: { account, subjects = [] } }: DecodedEvent<PhoneListEvent>) {
  const [subject] = subjects
  if (!subject) throw new Error(`${event.type} is about nobody`)
  const place: ListPlace = { account, list: event.data.list, subject: subject.digest }
  return { place, isAdded: event.type === 'PhoneNumberListed' }
}

/** What was put on held lists here and has not been heard yet. */
function openUnheard() {
  const positions = new Map<string, number>()
  const nameOf = ({ account, list, subject }: ListPlace): string => `${account} ${list} ${subject}`
  return {
    note: (place: ListPlace, position: number): void => {
      positions.set(nameOf(place), position)
    },
    /** Whether the number was put on the list again after what is heard now, which is not to be taken back. */
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

async function fill({ keysOf }: HeldListsOptions, account: string, lists: Lists): Promise<void> {
  for (const list of phoneLists) {
    for await (const page of keysOf(account, list)) {
      for (const key of page) lists[list].add(keyOf(key))
      await nextTurn()
    }
  }
}

function bytesOf({ allow, block }: Lists): number {
  return allow.bytes() + block.bytes()
}

/** The first 64 bits of a digest in base64url. */
function keyOf(digest: string): Key {
  const bytes = Buffer.from(digest.slice(0, 11), 'base64url')
  return [bytes.readUInt32LE(0), bytes.readUInt32LE(4)]
}
