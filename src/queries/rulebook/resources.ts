/** Lists and finds rules, recipes and flows, own or managed, and lists their versions. */

import type { Call, Page, PageRequest } from '../../domain/call.ts'
import { notFound, requireExisting } from '../../domain/failure.ts'
import { managedAccountId } from '../../domain/ids.ts'
import type { Principal } from '../../domain/principal.ts'
import { isoTime, type WithIsoTimes } from '../../domain/text/isoTime.ts'
import {
  flowCollection,
  managedRecipeCollection,
  managedRuleCollection,
  recipeCollection,
  ruleCollection,
} from '../../projections/rulebook/currentVersions.ts'
import type { VersionDocument } from '../../projections/rulebook/versions.ts'
import { type AccountStreams, requireAuthoring } from '../../state/accounts/requireAccess.ts'
import type { ResourceView } from '../../state/rulebook/resourceDefinition.ts'
import {
  managedRulebookAccess,
  ownRulebookAccess,
} from '../../state/rulebook/resourceDefinition.ts'
import type { RulebookStreams } from '../../state/rulebook/rulebookStreams.ts'
import type { HeavyContext, QueryContext } from '../reading/queryContext.ts'
import {
  createResourceReader,
  type ResourceReader,
  toOwnedDocumentView,
} from '../reading/resourceReader.ts'
import type { listVersionChanges, VersionChange } from './versions.ts'

type Access = AccountStreams & Pick<RulebookStreams, 'managed'>

type ListName =
  | `list${'Rules' | 'Recipes' | 'Flows'}`
  | `list${'Managed' | 'Offered'}${'Rules' | 'Recipes'}`

/** The resources of one kind, and the account whose resources a caller sees. */
export interface Resources<View, Caller extends Principal> extends ResourceReader<View> {
  /** The name of `list` among the heavy queries. */
  readonly query: ListName
  /** The account whose resources the caller sees. Throws for a caller who may see none. */
  readonly accountOf: (context: Access, call: Call<Caller>) => Promise<string>
}

export const authoredRules = {
  ...createResourceReader(ruleCollection, toOwnedDocumentView),
  query: 'listRules',
  accountOf: ownRulebookAccess.requireAccount,
} as const
export const authoredFlows = {
  ...createResourceReader(flowCollection, toOwnedDocumentView),
  query: 'listFlows',
  accountOf: ownRulebookAccess.requireAccount,
} as const
export const authoredRecipes = {
  ...createResourceReader(recipeCollection, (found) => {
    const { id, name, status, version_id, ...content } = toOwnedDocumentView(found)
    return { id, name, status, ...content, version_id }
  }),
  query: 'listRecipes',
  accountOf: ownRulebookAccess.requireAccount,
} as const

export const managedRules = {
  ...createResourceReader(managedRuleCollection, toOwnedDocumentView),
  query: 'listManagedRules',
  accountOf: managedRulebookAccess.requireAccount,
} as const
export const managedRecipes = {
  ...createResourceReader(managedRecipeCollection, toOwnedDocumentView),
  query: 'listManagedRecipes',
  accountOf: managedRulebookAccess.requireAccount,
} as const

/** What is managed, as customers see it: neither names nor expressions. */
export const offeredRules = {
  ...createResourceReader(managedRuleCollection, ({ id, body: { description } }) => ({
    id,
    type: 'MANAGED' as const,
    description,
  })),
  query: 'listOfferedRules',
  accountOf: requireManagedAccount,
} as const

/** Neither their names nor their rules. */
export const offeredRecipes = {
  ...createResourceReader(managedRecipeCollection, ({ id, body }) => {
    const { description, threshold, threshold_bounds, parameters } = body
    return { id, description, threshold, threshold_bounds, parameters }
  }),
  query: 'listOfferedRecipes',
  accountOf: requireManagedAccount,
} as const

async function requireManagedAccount(context: Access, call: Call): Promise<string> {
  await requireAuthoring(context, call)
  return managedAccountId
}

type ResourcesContext = Access & Pick<QueryContext, 'documents' | 'projections'>

/** A page, in the order in which they were made. */
export async function listResources<Caller extends Principal>(
  context: Access & HeavyContext<Record<ListName, ResourceReader<object>['list']>>,
  call: Call<Caller>,
  { of, ...page }: PageRequest & { readonly of: Resources<object, Caller> },
): Promise<Page<object>> {
  const account = await of.accountOf(context, call)
  return context.heavyQueries[of.query](call.principal, { account, ...page })
}

interface Sought<View, Caller extends Principal> {
  readonly of: Resources<View, Caller>
  readonly id: string
}

/** Throws `not_found`. */
export async function requireResource<View, Caller extends Principal>(
  context: ResourcesContext,
  call: Call<Caller>,
  { of, id }: Sought<View, Caller>,
): Promise<View> {
  const account = await of.accountOf(context, call)
  return requireExisting(await of.find(context, { account, id }))
}

/**
 * One change of a rule, recipe or flow, and the version that was current from it on (of a deletion: the one that was
 * deleted); the content of the version is beside this, as in its view. Times are ISO 8601 UTC.
 */
export type VersionView = WithIsoTimes<
  Omit<VersionChange, 'version'> & Omit<VersionDocument, 'account' | 'revision' | 'content'>,
  'changed_at' | 'created_at' | 'restored_at'
> & {
  /** Whether the version is the one that counts now. */
  readonly current: boolean
}

/** Every change, newest first, also of what is deleted. Throws `not_found`. */
export async function listVersions<View extends ResourceView, Caller extends Principal>(
  context: ResourcesContext & HeavyContext<{ listVersionChanges: typeof listVersionChanges }>,
  call: Call<Caller>,
  { of, id, ...page }: Sought<View, Caller> & PageRequest,
): Promise<Page<VersionView>> {
  const account = await of.accountOf(context, call)
  const present = await of.find(context, { account, id })
  const asked = { account, of: id, ...page }
  const found = await context.heavyQueries.listVersionChanges(call.principal, asked)
  if (present === undefined && found.items.length === 0) throw notFound()
  const items = found.items.map((change) => buildVersionView(change, present?.version_id))
  return { ...found, items }
}

function buildVersionView(found: VersionChange, current: string | undefined): VersionView {
  const { version, change, changed_at, ...more } = found
  const { version_id, created_at, created_by, restored_at, restored_by, content } = version
  return {
    change,
    changed_at: isoTime(changed_at),
    ...more,
    version_id,
    created_at: isoTime(created_at),
    created_by,
    ...(restored_at !== undefined && { restored_at: isoTime(restored_at) }),
    ...(restored_by !== undefined && { restored_by }),
    current: version_id === current,
    ...content,
  }
}
