/** Finds earlier and pinned versions in the log, and adds those of rules to a rulebook. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { DecodedEvent } from '../../events/recording/event.ts'
import type { ManagedRulebookEvent } from '../../events/rulebook/managedRulebook.ts'
import {
  type Membership,
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
import { type EventStore, type RecordedEvent, readPagesOfStream } from '../../stores/eventStore.ts'
import type { StateContext } from '../folding/stateContext.ts'

export interface VersionLog {
  readonly store: Pick<EventStore, 'readStream'>
  readonly decode: (recorded: RecordedEvent) => DecodedEvent
  /** Revision of the event that gives the version, as far as the read models know: the event is checked before it is used. */
  readonly revisionOf: (key: string) => Promise<number | undefined>
  /** Whether the read models know the revision of every version up to where they are. */
  readonly isIndexed: () => boolean
}

interface VersionQuery {
  readonly stream: string
  readonly keys: readonly string[]
  /** Whether versions of unknown revision are searched in the whole stream. */
  readonly isThorough: boolean
}

/** The events of the stream that give versions of these keys, by key. */
async function findVersions(
  { store, decode, revisionOf }: VersionLog,
  { stream, keys, isThorough }: VersionQuery,
): Promise<ReadonlyMap<string, VersionEvent>> {
  const found = new Map<string, VersionEvent>()
  const missing = new Set(keys)
  const take = (recorded: RecordedEvent): void => {
    const event = decode(recorded).event as RulebookEvent | ManagedRulebookEvent
    if (!isVersionEvent(event)) return
    const key = formatVersionKey(readResourceId(event), event.data.version_id)
    if (missing.delete(key)) found.set(key, event)
  }
  for (const key of keys) {
    const from = await revisionOf(key)
    if (from === undefined) continue
    const page = await store.readStream(stream, { from, limit: 1 })
    page.forEach(take)
  }
  if (!isThorough || missing.size === 0) return found
  for await (const page of readPagesOfStream(store, stream)) {
    page.forEach(take)
    if (missing.size === 0) break
    await nextTurn()
  }
  return found
}

/** Versions of rules by `formatVersionKey`. */
export type KnownVersions = ReadonlyMap<string, RuleVersion>

function collectRuleVersions(found: ReadonlyMap<string, VersionEvent>): KnownVersions {
  const versions = new Map<string, RuleVersion>()
  for (const [key, { type, data }] of found) {
    if (type === 'RulePublished' || type === 'RuleRestored') versions.set(key, toRuleVersion(data))
  }
  return versions
}

/** Reads them from the log; a missing one is not read again, and the rules that run it are unavailable. */
export async function loadMissingVersions(
  log: VersionLog,
  stream: string,
  state: RulebookState,
): Promise<void> {
  const keys = [...state.missing]
  if (keys.length === 0) return
  const found = await findVersions(log, { stream, keys, isThorough: true })
  addPinnedVersions(state, keys, collectRuleVersions(found))
}

/** How long to wait for the read models to know a version's revision before the whole stream is searched. */
const shownMs = 1_000

interface Context extends Pick<StateContext, 'events' | 'projections'> {
  readonly versionLog: VersionLog
}

async function findInLog(context: Context, account: string, keys: readonly string[]) {
  const head = await context.events.head()
  const isShown = await context.projections.waitFor(head, shownMs)
  const isThorough = !isShown || !context.versionLog.isIndexed()
  return findVersions(context.versionLog, { stream: rulebookStream(account), keys, isThorough })
}

/** A version of a resource of an account. */
export interface VersionRef {
  readonly account: string
  readonly id: string
  readonly versionId: string
}

/** The version as the log has it, `Version` being that of its kind; undefined when there is none. */
export async function findEarlierVersion<Version>(
  context: Context,
  { account, id, versionId }: VersionRef,
): Promise<Version | undefined> {
  const key = formatVersionKey(id, versionId)
  const event = (await findInLog(context, account, [key])).get(key)
  if (!event) return undefined
  const data: Readonly<Record<string, unknown>> = event.data
  const { rule_id: _, recipe_id: _recipe, flow_id: _flow, status: _status, ...version } = data
  return version as Version
}

/** The versions that recipes pin, as far as they exist; `state` is the account's rulebook. */
export async function findPinnedVersions(
  context: Context,
  { account, state }: { readonly account: string; readonly state: RulebookState },
  members: readonly Pick<Membership, 'rule_id' | 'version_id'>[],
): Promise<KnownVersions> {
  const known = new Map<string, RuleVersion>()
  const unknown: string[] = []
  for (const { rule_id, version_id } of members) {
    const entry = state.rules.get(rule_id)
    if (version_id === undefined || !entry) continue
    const key = formatVersionKey(rule_id, version_id)
    const cached = entry.versions.get(version_id)
    if (cached) known.set(key, cached)
    else unknown.push(key)
  }
  if (unknown.length === 0) return known
  return new Map([...known, ...collectRuleVersions(await findInLog(context, account, unknown))])
}

/** The rulebook, with those of the versions that are of its rules; the given one stays as it is. */
export function branchWithVersions(
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
