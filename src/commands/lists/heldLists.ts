/**
 * The lists of accounts in memory, so that a value on no list is known to be on none without a question to a store. What is held of a
 * value are 64 bits of its subject digest: it may be on the list when they are there, and is on none when they are not.
 */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { heldByWeight } from '../../domain/heldByWeight.ts'
import { type EntryEvent, entryFact, type NetworkSize } from '../../events/lists/listEntry.ts'
import type { DecodedEvent } from '../../events/recording/event.ts'
import type { RecordedEvent } from '../../stores/eventStore.ts'
import { type HeldList, type HeldValue, heldList } from './heldList.ts'

/** One list of an account. */
interface ListOf {
  readonly account: string
  /** A phone list by its name, any other by its id. */
  readonly list: string
}

/** One value on one list of an account. */
export interface ListPlace extends ListOf, HeldValue {}

export interface HeldLists {
  /** Whether the value may be on the list; undefined while the list is not held, which has it read in the background. */
  readonly mayHave: (place: ListPlace) => boolean | undefined
  /** The sizes of the networks on the list; undefined while it is not held, which has it read in the background. */
  readonly networks: (of: ListOf) => readonly NetworkSize[] | undefined
  /** How many values the list is known to have; 0 while it is not held. */
  readonly size: (of: ListOf) => number
  /** The value was put on the list here, at a position of the log. */
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
  readonly keysOf: (account: string, list: string) => AsyncIterable<readonly HeldValue[]>
  /** Waits, within a limit, until the read models have passed what was heard, and this position; false when they have not. */
  readonly passed: (position: number) => Promise<boolean>
  /** Does what nobody waits for. */
  readonly run: (work: () => Promise<void>) => void
  /** A clock that never goes back. */
  readonly nowMs?: () => number
}

/** Reading lists takes at most one part of the time in so many. */
const timeParts = 5
/** How long no list is read after one that could not be. */
const restMs = 200

/** Of some hundred bytes each; with more the log is not heard any more. */
const unheardMax = 50_000

/** What a list takes beside its keys. */
const ownBytes = 1_000

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

  const read = async (of: ListOf): Promise<void> => {
    const startedMs = nowMs()
    // what is heard from now on goes into the list that is being read
    const list = memory.begin(of)
    let isWhole = false
    try {
      if (!(await options.passed(addedTo))) return
      await fill(options, of, list)
      isWhole = true
    } finally {
      memory.end(list, isWhole)
      restsUntilMs = nowMs() + (isWhole ? 0 : restMs) + (nowMs() - startedMs) * timeParts
    }
  }

  const held = (of: ListOf): HeldList | undefined => {
    const list = memory.get(of)
    if (list) return list
    if (!memory.isReading() && nowMs() >= restsUntilMs) options.run(() => read(of))
    return undefined
  }

  return {
    mayHave: (place) => held(place)?.has(place.subject),
    networks: (of) => held(of)?.networks(),
    size: (of) => memory.get(of)?.size() ?? 0,
    added: (place, position) => {
      addedTo = Math.max(addedTo, position)
      if (!memory.has(place)) return
      if (unheard.isFull()) distrust()
      unheard.note(place, position)
      memory.change(place, (list) => list.add(place))
    },
    hear: (recorded) => {
      if (memory.isEmpty() && unheard.isEmpty()) return
      const { place, isAdded } = heardOf(options.decode(recorded) as DecodedEvent<EntryEvent>)
      const isOld = unheard.hear(place, recorded.position)
      memory.change(place, (list) => {
        if (isAdded) list.add(place)
        else if (!isOld) list.delete(place)
      })
    },
    distrust,
  }
}

/** The lists that are held, and the one that is being read. */
function openMemory(bytesMax: number) {
  const held = heldByWeight<string, HeldList>(bytesMax)
  let reading: { readonly key: string; readonly list: HeldList } | undefined
  const hold = (key: string, list: HeldList): void => held.set(key, list, ownBytes + list.bytes())
  return {
    get: (of: ListOf) => held.get(keyOf(of)),
    has: (of: ListOf): boolean => reading?.key === keyOf(of) || held.get(keyOf(of)) !== undefined,
    isReading: (): boolean => reading !== undefined,
    isEmpty: (): boolean => reading === undefined && held.weight() === 0,
    change: (of: ListOf, work: (list: HeldList) => void): void => {
      const key = keyOf(of)
      if (reading?.key === key) work(reading.list)
      const list = held.get(key)
      if (!list) return
      work(list)
      hold(key, list)
    },
    begin: (of: ListOf): HeldList => {
      reading = { key: keyOf(of), list: heldList() }
      return reading.list
    },
    /** Nothing is held of a list that was cleared while it was read. */
    end: (list: HeldList, isWhole: boolean): void => {
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

function heardOf({ event, metadata: { account, subjects = [] } }: DecodedEvent<EntryEvent>) {
  const [subject] = subjects
  if (!subject) throw new Error(`${event.type} is about nobody`)
  const { list, network, isListed: isAdded } = entryFact(event)
  return { place: { account, list, subject: subject.digest, network }, isAdded }
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

async function fill(
  { keysOf }: HeldListsOptions,
  { account, list }: ListOf,
  into: HeldList,
): Promise<void> {
  for await (const page of keysOf(account, list)) {
    for (const value of page) into.add(value)
    await nextTurn()
  }
}
