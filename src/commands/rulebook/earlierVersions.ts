/** Finds earlier versions of rules, recipes and flows in the log, for a command that pins or restores them. */

import { pauseLongWork } from '../../domain/load/longWork.ts'
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
import { type RecordedEvent, readPagesOfStream } from '../../stores/eventStore.ts'
import type { CommandContext } from '../handling/commandContext.ts'

type Context = Pick<CommandContext, 'events'>

/** A version of a resource of an account. */
export interface VersionRef {
  readonly account: string
  readonly id: string
  readonly versionId: string
}

/** The version as the log has it, `Version` being that of its kind; undefined when there is none. */
export async function findEarlierVersion<Version>(
  context: Context,
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
  context: Context,
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

/** An event for each of the versions that exist: the account's rulebook is read until all are found. Long work. */
async function findVersionEvents(
  { events }: Context,
  account: string,
  versions: readonly Omit<VersionRef, 'account'>[],
): Promise<readonly VersionEvent[]> {
  const wanted = new Set(versions.map(({ id, versionId }) => formatVersionKey(id, versionId)))
  const ids = new Set(versions.map(({ versionId }) => versionId))
  const found: VersionEvent[] = []
  if (wanted.size === 0) return found
  for await (const page of readPagesOfStream(events, rulebookStream(account))) {
    for (const event of page.flatMap((recorded) => decodeVersionEvent(recorded, ids))) {
      const key = formatVersionKey(readResourceId(event), event.data.version_id)
      if (wanted.delete(key)) found.push(event)
    }
    if (wanted.size === 0) break
    await pauseLongWork()
  }
  return found
}

/** The event when it gives a version; its text is searched for the ids first, since parsing a whole stream takes far longer. */
function decodeVersionEvent(
  recorded: RecordedEvent,
  ids: ReadonlySet<string>,
): readonly VersionEvent[] {
  const named = [...recorded.data.matchAll(/"version_id":"([^"]*)"/g)]
  if (!named.some(([, id = '']) => ids.has(id))) return []
  const event = decode(recorded).event as RulebookEvent | ManagedRulebookEvent
  return isVersionEvent(event) ? [event] : []
}
