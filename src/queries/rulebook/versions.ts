/** Questions about the versions of a rule, a recipe or a flow. */

import type { Page } from '../../domain/call.ts'
import { type VersionDocument, versionCollection } from '../../projections/rulebook/versions.ts'
import { findPage, type PageAsked } from '../reading/page.ts'
import type { Readers } from '../reading/readers.ts'

export interface VersionsAsked extends PageAsked {
  readonly account: string
  /** Id of the rule, recipe or flow. */
  readonly of: string
}

/** The versions, newest first; none of what another account has. Throws `invalid_request` for what is no cursor. */
export async function listVersions(
  readers: Readers,
  { account, of, ...paging }: VersionsAsked,
): Promise<Page<VersionDocument>> {
  const question = { where: { of }, sort: ['-made'], ...paging } as const
  const page = await findPage(readers, versionCollection, question)
  const items = page.items.map(({ body }) => body)
  return { ...page, items: items.filter((version) => version.account === account) }
}
