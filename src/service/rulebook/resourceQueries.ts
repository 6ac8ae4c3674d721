/** The reading half of a resource: what an account keeps, as the read models show it. */

import type { Page } from '../../domain/call.ts'
import { notFound } from '../../domain/failure.ts'
import { isoTime } from '../../domain/isoTime.ts'
import type { Principal } from '../../domain/principal.ts'
import type { PageAsked } from '../../queries/reading/page.ts'
import { reached } from '../../queries/reading/reached.ts'
import type { ResourceReader } from '../../queries/reading/resourceReader.ts'
import type { ChangeFound } from '../../queries/rulebook/versions.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'
import type { Owner } from './resourceCommands.ts'
import type { VersionedResource, VersionView } from './versionedResource.ts'

/** How what an account keeps of one kind is found, and listed for whoever asks. */
export interface ResourceQuestions<View> extends Pick<ResourceReader<View>, 'find'> {
  readonly list: (caller: Principal, asked: KeptAsked) => Promise<Page<View>>
}

type KeptAsked = PageAsked & { readonly account: string }

/**
 * The questions of one kind. They throw what `accountOf` throws, `not_found`, `unavailable` when `minPosition` is not reached in
 * time.
 */
export function openResourceQueries<
  View extends { readonly version_id: string },
  Caller extends Principal,
>(
  context: ServiceContext,
  { find, list }: ResourceQuestions<View>,
  { accountOf }: Owner<Caller>,
): Pick<VersionedResource<never, View, Caller>, 'list' | 'get' | 'versions'> {
  return {
    list: async (call, { minPosition, ...page }) => {
      const account = await accountOf(call)
      const position = await reached(context, minPosition)
      return { value: await list(call.principal, { account, ...page }), position }
    },
    get: async (call, id, { minPosition }) => {
      const account = await accountOf(call)
      const position = await reached(context, minPosition)
      const value = await find(context, { account, id })
      if (value === undefined) throw notFound()
      return { value, position }
    },
    versions: async (call, id, { minPosition, ...page }) => {
      const account = await accountOf(call)
      const position = await reached(context, minPosition)
      const present = await find(context, { account, id })
      const found = await context.heavyReads.ask(call.principal, 'listChanges', {
        account,
        of: id,
        ...page,
      })
      if (present === undefined && found.items.length === 0) throw notFound()
      const items = found.items.map((change) => versionView(change, present?.version_id))
      return { value: { ...found, items }, position }
    },
  }
}

function versionView(found: ChangeFound, current: string | undefined): VersionView {
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
