/** Versions that an author or the operator names and that nothing in memory may hold any more. */

import { findVersions } from '../../commands/rulebook/findVersions.ts'
import type { KnownVersions } from '../../commands/rulebook/withVersions.ts'
import type { RulebookState, RuleVersion } from '../../events/rulebook/rulebook.ts'
import { type VersionEvent, versionKey } from '../../events/rulebook/versionEvents.ts'
import { areVersionsShown } from '../../queries/rulebook/versions.ts'
import { rulebookStream, type ServiceContext } from '../opening/serviceContext.ts'
import { ruleOfEvent } from './versionOfEvent.ts'

/** How long it is waited for the read models to say where a version stands, before all of the stream is looked through. */
const shownMs = 1_000

type Versioned = Pick<ServiceContext, 'versionLog' | 'events' | 'projections'>

/** The event of a version of a thing that the account has; undefined when there is none. */
export async function earlierVersion(
  context: Versioned,
  account: string,
  version: { readonly of: string; readonly versionId: string },
): Promise<VersionEvent | undefined> {
  const key = versionKey(version.of, version.versionId)
  return (await find(context, account, [key])).get(key)
}

interface Member {
  readonly rule_id: string
  readonly version_id?: string
}

/** The versions that members pin, as far as there are such; `state` is the account's rulebook. */
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
  const thorough = !isShown || !areVersionsShown(context)
  return findVersions(context.versionLog, { stream: rulebookStream(account), keys, thorough })
}
