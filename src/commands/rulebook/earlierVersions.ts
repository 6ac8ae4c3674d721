/** Finds earlier and pinned versions in the log, and adds those of rules to a rulebook. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { DecodedEvent } from '../../events/recording/event.ts'
import type { ManagedEvent } from '../../events/rulebook/managedRulebook.ts'
import {
  type RulebookEvent,
  type RulebookState,
  type RuleVersion,
  rulebookStream,
  toRuleVersion,
} from '../../events/rulebook/rulebook.ts'
import {
  addPinnedVersions,
  branchRulebook,
  parseRuleId,
} from '../../events/rulebook/updateRulebook.ts'
import {
  formatVersionKey,
  isVersionEvent,
  readResourceId,
  type VersionEvent,
} from '../../events/rulebook/versionEvents.ts'
import {
  type EventStore,
  mayHaveMore,
  pageOfStream,
  type RecordedEvent,
} from '../../stores/eventStore.ts'
import type { CommandContext } from '../handling/commandContext.ts'

export interface VersionLog {
  readonly store: Pick<EventStore, 'readStream' | 'readAll'>
  readonly decode: (recorded: RecordedEvent) => DecodedEvent
  /** Position of an event that gives the version, as far as the read models know: it is checked before it is used. */
  readonly positionOf: (key: string) => Promise<number | undefined>
  /** Whether the read models know the position of every version up to where they are. */
  readonly isIndexed: () => boolean
}

interface VersionQuery {
  readonly stream: string
  readonly keys: readonly string[]
  /** Whether versions of unknown position are searched in the whole stream. */
  readonly thorough: boolean
}

/** The events of the stream that give versions of these keys, by key. */
async function findVersions(
  log: VersionLog,
  { stream, keys, thorough }: VersionQuery,
): Promise<ReadonlyMap<string, VersionEvent>> {
  const found = new Map<string, VersionEvent>()
  const missing = new Set(keys)
  for (const key of missing) {
    const position = await log.positionOf(key)
    if (position === undefined) continue
    const recorded = await log.store.readAll({ after: position - 1, limit: 1 })
    take(
      log,
      recorded.filter((event) => event.stream === stream),
      { missing, found },
    )
  }
  if (thorough) await search(log, stream, { missing, found })
  return found
}

interface Search {
  readonly missing: Set<string>
  readonly found: Map<string, VersionEvent>
}

/** Reads the stream from its beginning, other work in between, until nothing is missing. */
async function search(log: VersionLog, stream: string, sought: Search): Promise<void> {
  for (let from = 0; sought.missing.size > 0; ) {
    const page = { from, ...pageOfStream }
    const events = await log.store.readStream(stream, page)
    take(log, events, sought)
    if (!mayHaveMore(page, events)) return
    from += events.length
    await nextTurn()
  }
}

/** Moves the versions that the events give from the missing to the found. */
function take(
  { decode }: VersionLog,
  events: readonly RecordedEvent[],
  { missing, found }: Search,
): void {
  for (const recorded of events) {
    const event = decode(recorded).event as RulebookEvent | ManagedEvent
    if (!isVersionEvent(event)) continue
    const key = formatVersionKey(readResourceId(event), event.data.version_id)
    if (missing.delete(key)) found.set(key, event)
  }
}

/** Versions of rules by `formatVersionKey`. */
export type KnownVersions = ReadonlyMap<string, RuleVersion>

function ruleVersions(found: ReadonlyMap<string, VersionEvent>): KnownVersions {
  const versions = new Map<string, RuleVersion>()
  for (const [key, { type, data }] of found) {
    if (type === 'RulePublished' || type === 'RuleRestored') versions.set(key, toRuleVersion(data))
  }
  return versions
}

/** Reads them from the log; a missing one is not read again, and the rules that run it are unavailable. */
export async function completeRulebook(
  log: VersionLog,
  stream: string,
  state: RulebookState,
): Promise<void> {
  const keys = [...state.missing]
  if (keys.length === 0) return
  addPinnedVersions(
    state,
    keys,
    ruleVersions(await findVersions(log, { stream, keys, thorough: true })),
  )
}

/** How long to wait for the read models to know a version's position before the whole stream is searched. */
const shownMs = 1_000

interface Versioned extends Pick<CommandContext, 'events' | 'projections'> {
  readonly versionLog: VersionLog
}

/** A version of a resource of an account. */
export interface VersionRef {
  readonly account: string
  readonly id: string
  readonly versionId: string
}

/** The version as the log has it, `Version` being that of its kind; undefined when there is none. */
export async function findEarlierVersion<Version>(
  context: Versioned,
  { account, id, versionId }: VersionRef,
): Promise<Version | undefined> {
  const key = formatVersionKey(id, versionId)
  const event = (await find(context, account, [key])).get(key)
  if (!event) return undefined
  const data: Readonly<Record<string, unknown>> = event.data
  const { rule_id: _, recipe_id: _recipe, flow_id: _flow, status: _status, ...version } = data
  return version as Version
}

interface Member {
  readonly rule_id: string
  readonly version_id?: string
}

/** The versions that recipes pin, as far as they exist; `state` is the account's rulebook. */
export async function findPinnedVersions(
  context: Versioned,
  { account, state }: { readonly account: string; readonly state: RulebookState },
  members: readonly Member[],
): Promise<KnownVersions> {
  const known = new Map<string, RuleVersion>()
  const unknown: string[] = []
  for (const { rule_id, version_id } of members) {
    if (version_id === undefined) continue
    const key = formatVersionKey(rule_id, version_id)
    const cached = state.rules.get(rule_id)?.versions.get(version_id)
    if (cached) known.set(key, cached)
    else if (state.rules.has(rule_id)) unknown.push(key)
  }
  if (unknown.length === 0) return known
  return new Map([...known, ...ruleVersions(await find(context, account, unknown))])
}

async function find(context: Versioned, account: string, keys: readonly string[]) {
  const head = await context.events.head()
  const isShown = await context.projections.waitFor(head, shownMs)
  const thorough = !isShown || !context.versionLog.isIndexed()
  return findVersions(context.versionLog, { stream: rulebookStream(account), keys, thorough })
}

/** The rulebook, with those of the versions that are of its rules; the given one stays as it is. */
export function withVersions(
  state: RulebookState,
  known: KnownVersions | undefined,
): RulebookState {
  if (!known || known.size === 0) return state
  const branch = branchRulebook(state)
  for (const [key, version] of known) {
    branch.rules.get(parseRuleId(key))?.versions.set(version.version_id, version)
  }
  return branch
}
