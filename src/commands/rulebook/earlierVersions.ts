/** Reads earlier versions of rules, recipes and flows from the log when memory lacks them. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { DecodedEvent } from '../../events/recording/event.ts'
import type {
  ManagedRecipeVersion,
  ManagedRuleVersion,
} from '../../events/rulebook/managedRulebook.ts'
import {
  type FlowVersion,
  type RecipeVersion,
  type RulebookState,
  type RuleVersion,
  rulebookStream,
  ruleVersionOf,
} from '../../events/rulebook/rulebook.ts'
import { supplyVersions } from '../../events/rulebook/updateRulebook.ts'
import { givenVersion, type VersionEvent, versionKey } from '../../events/rulebook/versionEvents.ts'
import {
  type EventStore,
  mayHaveMore,
  pageOfStream,
  type RecordedEvent,
} from '../../stores/eventStore.ts'
import type { Context } from '../handling/context.ts'

export interface VersionLog {
  readonly store: Pick<EventStore, 'readStream' | 'readAll'>
  readonly decode: (recorded: RecordedEvent) => DecodedEvent
  /** Position of an event that gives the version, as far as the read models know: it is checked before it is used. */
  readonly positionOf: (key: string) => Promise<number | undefined>
  /** Whether the read models know the position of every version up to where they are. */
  readonly isIndexed: () => boolean
}

/** Events that give versions, by the key of the version. */
type FoundVersions = ReadonlyMap<string, VersionEvent>

interface Sought {
  readonly stream: string
  readonly keys: readonly string[]
  /** Whether versions of unknown position are searched in the whole stream. */
  readonly thorough: boolean
}

/** The versions of these keys that the stream has. */
async function findVersions(
  log: VersionLog,
  { stream, keys, thorough }: Sought,
): Promise<FoundVersions> {
  const found = new Map<string, VersionEvent>()
  for (const key of new Set(keys)) {
    const event = await atKnownPosition(log, stream, key)
    if (event) found.set(key, event)
  }
  const missing = new Set(keys.filter((key) => !found.has(key)))
  if (thorough && missing.size > 0) await search(log, stream, { missing, found })
  return found
}

async function atKnownPosition(
  { store, decode, positionOf }: VersionLog,
  stream: string,
  key: string,
): Promise<VersionEvent | undefined> {
  const position = await positionOf(key)
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

/** Reads the stream from its beginning, other work in between, until nothing is missing. */
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
    if (!mayHaveMore(page, events)) return
    from += events.length
    await nextTurn()
  }
}

/** Reads them from the log; a missing one is not read again, and the rules that run it are unavailable. */
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

/** How long to wait for the read models to know a version's position before the whole stream is searched. */
const shownMs = 1_000

interface Versioned extends Pick<Context, 'events' | 'projections'> {
  readonly versionLog: VersionLog
}

/** The event of a version of a thing that the account has; undefined when there is none. */
export async function earlierVersion(
  context: Versioned,
  account: string,
  version: { readonly of: string; readonly versionId: string },
): Promise<VersionEvent | undefined> {
  const key = versionKey(version.of, version.versionId)
  return (await find(context, account, [key])).get(key)
}

/** Versions of rules by `versionKey`. */
export type KnownVersions = ReadonlyMap<string, RuleVersion>

interface Member {
  readonly rule_id: string
  readonly version_id?: string
}

/** The versions that recipes pin, as far as they exist; `state` is the account's rulebook. */
export async function knownPins(
  context: Versioned,
  { account, state }: { readonly account: string; readonly state: RulebookState },
  members: readonly Member[],
): Promise<KnownVersions> {
  const known = new Map<string, RuleVersion>()
  const unknown: string[] = []
  for (const { rule_id, version_id } of members) {
    if (version_id === undefined) continue
    const key = versionKey(rule_id, version_id)
    const held = state.rules.get(rule_id)?.versions.get(version_id)
    if (held) known.set(key, held)
    else if (state.rules.has(rule_id)) unknown.push(key)
  }
  if (unknown.length === 0) return known
  for (const [key, event] of await find(context, account, unknown)) {
    const version = ruleOfEvent(event)
    if (version) known.set(key, version)
  }
  return known
}

async function find(context: Versioned, account: string, keys: readonly string[]) {
  const head = await context.events.head()
  const isShown = await context.projections.waitFor(head, shownMs)
  const thorough = !isShown || !context.versionLog.isIndexed()
  return findVersions(context.versionLog, { stream: rulebookStream(account), keys, thorough })
}

type Given = VersionEvent | undefined

export function ruleOfEvent(event: Given): RuleVersion | undefined {
  const isRule = event?.type === 'RulePublished' || event?.type === 'RuleRestored'
  return isRule ? ruleVersionOf(event.data) : undefined
}

export function recipeOfEvent(event: Given): RecipeVersion | undefined {
  if (event?.type !== 'RecipePublished' && event?.type !== 'RecipeRestored') return undefined
  const { recipe_id: _, status: __, ...version } = event.data
  return version
}

export function flowOfEvent(event: Given): FlowVersion | undefined {
  if (event?.type !== 'FlowPublished' && event?.type !== 'FlowRestored') return undefined
  const { flow_id: _, ...version } = event.data
  return version
}

export function managedRuleOfEvent(event: Given): ManagedRuleVersion | undefined {
  const isRule = event?.type === 'ManagedRulePublished' || event?.type === 'ManagedRuleRestored'
  if (!isRule) return undefined
  const { rule_id: _, ...version } = event.data
  return version
}

export function managedRecipeOfEvent(event: Given): ManagedRecipeVersion | undefined {
  const isRecipe =
    event?.type === 'ManagedRecipePublished' || event?.type === 'ManagedRecipeRestored'
  if (!isRecipe) return undefined
  const { recipe_id: _, ...version } = event.data
  return version
}

/** The rulebook, with those of the versions that are of its rules. */
export function withVersions(
  state: RulebookState,
  known: KnownVersions | undefined,
): RulebookState {
  if (!known || known.size === 0) return state
  const { rules } = state
  const byRule = new Map<string, RuleVersion[]>()
  for (const [key, version] of known) {
    const id = key.slice(0, key.indexOf('/'))
    byRule.set(id, [...(byRule.get(id) ?? []), version])
  }
  const get = (id: string) => {
    const [entry, more] = [rules.get(id), byRule.get(id)]
    if (!entry || !more) return entry
    const versions = new Map(entry.versions)
    for (const version of more) versions.set(version.version_id, version)
    return { ...entry, versions }
  }
  return {
    ...state,
    rules: {
      size: rules.size,
      has: (id) => rules.has(id),
      keys: () => rules.keys(),
      set: (id, entry) => rules.set(id, entry),
      get,
    },
  }
}
