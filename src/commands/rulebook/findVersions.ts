/** Versions that no rulebook in memory holds any more, read from the log. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { DecodedEvent } from '../../events/recording/event.ts'
import { supplyVersions } from '../../events/rulebook/held.ts'
import {
  type RulebookState,
  type RuleVersion,
  ruleVersionOf,
} from '../../events/rulebook/rulebook.ts'
import { givenVersion, type VersionEvent } from '../../events/rulebook/versionEvents.ts'
import {
  type EventStore,
  mayGoOn,
  pageOfStream,
  type RecordedEvent,
} from '../../stores/eventStore.ts'

export interface VersionLog {
  readonly store: Pick<EventStore, 'readStream' | 'readAll'>
  readonly decode: (recorded: RecordedEvent) => DecodedEvent
  /** Position of an event that gives the version, as far as anybody knows: it is looked at, not believed. */
  readonly placeOf: (key: string) => Promise<number | undefined>
}

/** Events that give versions, by the key of the version. */
export type FoundVersions = ReadonlyMap<string, VersionEvent>

interface Sought {
  readonly stream: string
  readonly keys: readonly string[]
  /** Whether what nobody knows a place of is looked for in the whole stream. */
  readonly thorough: boolean
}

/** The versions of these keys that the stream has. */
export async function findVersions(
  log: VersionLog,
  { stream, keys, thorough }: Sought,
): Promise<FoundVersions> {
  const found = new Map<string, VersionEvent>()
  for (const key of new Set(keys)) {
    const event = await atItsPlace(log, stream, key)
    if (event) found.set(key, event)
  }
  const missing = new Set(keys.filter((key) => !found.has(key)))
  if (thorough && missing.size > 0) await search(log, stream, { missing, found })
  return found
}

async function atItsPlace(
  { store, decode, placeOf }: VersionLog,
  stream: string,
  key: string,
): Promise<VersionEvent | undefined> {
  const position = await placeOf(key)
  if (position === undefined) return undefined
  const [recorded] = await store.readAll({ after: position - 1, limit: 1 })
  if (recorded?.stream !== stream) return undefined
  const { event } = decode(recorded)
  return givenVersion(event) === key ? (event as VersionEvent) : undefined
}

interface Search {
  readonly missing: Set<string>
  readonly found: Map<string, VersionEvent>
}

/** Goes through the stream from its beginning, in turns, until nothing is missing. */
async function search(
  { store, decode }: VersionLog,
  stream: string,
  { missing, found }: Search,
): Promise<void> {
  for (let from = 0; missing.size > 0; ) {
    const page = { from, ...pageOfStream }
    const events = await store.readStream(stream, page)
    for (const recorded of events) {
      const { event } = decode(recorded)
      const key = givenVersion(event)
      if (key !== undefined && missing.delete(key)) found.set(key, event as VersionEvent)
    }
    if (!mayGoOn(page, events)) return
    from += events.length
    await nextTurn()
  }
}

/** Reads them from the log; what is not there is not asked for again, and the rules that run it are unavailable. */
export async function completeRulebook(
  log: VersionLog,
  stream: string,
  state: RulebookState,
): Promise<void> {
  const wanted = [...state.lacking]
  if (wanted.length === 0) return
  const found = new Map<string, RuleVersion>()
  for (const [key, event] of await findVersions(log, { stream, keys: wanted, thorough: true })) {
    if (event.type === 'RulePublished' || event.type === 'RuleRestored') {
      found.set(key, ruleVersionOf(event.data))
    }
  }
  supplyVersions(state, wanted, found)
}
