/** Reads earlier versions of rules, recipes and flows from the log, to pin or restore them. */

import { unavailable } from '../../domain/failure.ts'
import { decode } from '../../events/catalogue.ts'
import type { ManagedRulebookEvent } from '../../events/rulebook/managedRulebook.ts'
import {
  type Membership,
  type RecordedRuleVersion,
  type RulebookEvent,
  type RulebookState,
  type RuleVersion,
  rulebookStream,
  toRuleVersion,
} from '../../events/rulebook/rulebook.ts'
import { branchRulebook } from '../../events/rulebook/updateRulebook.ts'
import {
  formatVersionKey,
  isVersionEvent,
  readResourceId,
  type VersionEvent,
} from '../../events/rulebook/versionEvents.ts'
import { versionCollection } from '../../projections/rulebook/versions.ts'
import { getDocuments } from '../../projections/running/documents.ts'
import type { StateContext } from '../folding/stateContext.ts'

/** How long to wait for the read models to know a version that is pinned or restored soon after it was saved. */
const shownMs = 2_000

export type VersionContext = Pick<StateContext, 'events' | 'documents' | 'projections'>

/** Revisions of the events that give the versions of these keys, without versions that never were. */
async function findVersionRevisions(
  context: VersionContext,
  keys: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  let found = await getDocuments(context, versionCollection, keys)
  if (found.size < new Set(keys).size) {
    if (!(await context.projections.waitFor(await context.events.head(), shownMs))) {
      throw unavailable('It is not known yet which versions there are.')
    }
    found = await getDocuments(context, versionCollection, keys)
  }
  return new Map([...found].map(([key, { revision }]) => [key, revision]))
}

export interface VersionRef {
  readonly account: string
  readonly id: string
  readonly versionId: string
}

/** The version as the log has it, `Version` being that of its kind; undefined when there is none. */
export async function findEarlierVersion<Version>(
  context: VersionContext,
  version: VersionRef,
): Promise<Version | undefined> {
  const [event] = await findVersionEvents(context, version.account, [version])
  if (!event) return undefined
  const data: Readonly<Record<string, unknown>> = event.data
  const { rule_id: _, recipe_id: _recipe, flow_id: _flow, status: _status, ...earlier } = data
  return earlier as Version
}

/** A version of a rule, as a rulebook has it in memory. */
export interface KnownVersion extends RuleVersion {
  readonly rule_id: string
}

/** The versions that recipes pin, as far as they exist; `state` is the account's rulebook. */
export async function findPinnedVersions(
  context: VersionContext,
  { account, state }: { readonly account: string; readonly state: RulebookState },
  members: readonly Pick<Membership, 'rule_id' | 'version_id'>[],
): Promise<readonly KnownVersion[]> {
  const known: KnownVersion[] = []
  const unknown: Omit<VersionRef, 'account'>[] = []
  for (const { rule_id, version_id } of members) {
    const entry = state.rules.get(rule_id)
    if (version_id === undefined || !entry) continue
    const cached = entry.versions.get(version_id)
    if (cached) known.push({ rule_id, ...cached })
    else unknown.push({ id: rule_id, versionId: version_id })
  }
  for (const { type, data } of await findVersionEvents(context, account, unknown)) {
    if (type === 'RulePublished' || type === 'RuleRestored') known.push(toKnownVersion(data))
  }
  return known
}

/** A version that an event contains. */
export function toKnownVersion(version: RecordedRuleVersion): KnownVersion {
  return { rule_id: version.rule_id, ...toRuleVersion(version) }
}

/** The rulebook, with those of the versions that are of its rules; the given one stays as it is. */
export function branchWithVersions(
  state: RulebookState,
  known: readonly KnownVersion[] = [],
): RulebookState {
  if (known.length === 0) return state
  const branch = branchRulebook(state)
  for (const { rule_id, ...version } of known) {
    branch.rules.get(rule_id)?.versions.set(version.version_id, version)
  }
  return branch
}

/** An event for each of the versions that exist. */
async function findVersionEvents(
  context: VersionContext,
  account: string,
  versions: readonly Omit<VersionRef, 'account'>[],
): Promise<readonly VersionEvent[]> {
  if (versions.length === 0) return []
  const keys = versions.map(({ id, versionId }) => formatVersionKey(id, versionId))
  const found: VersionEvent[] = []
  for (const [key, from] of await findVersionRevisions(context, keys)) {
    // the version may be another account's: then this is another event
    const [recorded] = await context.events.readStream(rulebookStream(account), { from, limit: 1 })
    const event = recorded && (decode(recorded).event as RulebookEvent | ManagedRulebookEvent)
    if (!event || !isVersionEvent(event)) continue
    if (formatVersionKey(readResourceId(event), event.data.version_id) === key) found.push(event)
  }
  return found
}
