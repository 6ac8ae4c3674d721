/** Questions about the history of a rule, a recipe or a flow. */

import type { Page } from '../../domain/call.ts'
import {
  type ChangeDocument,
  changeCollection,
  type VersionDocument,
  versionCollection,
} from '../../projections/rulebook/versions.ts'
import { type Found, findDocuments, getDocument } from '../reading/documents.ts'
import { findPage, type PageAsked } from '../reading/page.ts'
import { assertNewest, type Readers } from '../reading/readers.ts'

interface ChangesAsked extends PageAsked {
  readonly account: string
  /** Id of the rule, recipe or flow. */
  readonly of: string
}

/** One change, and the version that stood from it on; of a deletion the version that was deleted. */
export interface ChangeFound
  extends Pick<ChangeDocument, 'change' | 'changed_at' | 'changed_by' | 'status'> {
  readonly version: VersionDocument
}

/**
 * What became of it, newest first; nothing of what another account has. Throws `invalid_request` for what is no cursor, `unavailable`
 * while the changes are being built from the log.
 */
export async function listChanges(
  readers: Readers,
  { account, of, ...paging }: ChangesAsked,
): Promise<Page<ChangeFound>> {
  assertNewest(readers, changeCollection)
  const question = { where: { account, of }, sort: ['-at'], ...paging } as const
  const page = await findPage(readers, changeCollection, question)
  const versions = await versionsOf(readers, page.items)
  return { ...page, items: page.items.flatMap((found, index) => changeOf(found, versions[index])) }
}

function changeOf({ body }: Found<ChangeDocument>, version: VersionDocument | undefined) {
  // a store without transactions may show a change a moment before its version
  if (!version) return []
  const { change, changed_at, changed_by, status } = body
  return [{ change, changed_at, changed_by, ...(status && { status }), version }]
}

/** The version of each of the changes, which are the newest first. */
async function versionsOf(
  readers: Readers,
  found: readonly Found<ChangeDocument>[],
): Promise<readonly (VersionDocument | undefined)[]> {
  const known = new Map<string, VersionDocument | undefined>()
  const versions: (VersionDocument | undefined)[] = []
  let standing = await versionBefore(readers, found.at(-1))
  for (const { body } of found.toReversed()) {
    standing = body.version_id ?? standing
    const id = `${body.of}/${standing}`
    if (!known.has(id)) {
      known.set(id, (await getDocument(readers, versionCollection, id))?.body)
    }
    versions.push(known.get(id))
  }
  return versions.toReversed()
}

/** The id of the version that stood before a change; undefined where nothing was before, or where it does not matter. */
async function versionBefore(
  readers: Readers,
  change: Found<ChangeDocument> | undefined,
): Promise<string | undefined> {
  if (!change || change.body.is_version) return undefined
  const { account, of, at } = change.body
  const [before] = await findDocuments(readers, changeCollection, {
    where: { account, of, is_version: true, at: { lt: at } },
    sort: ['-at'],
    limit: 1,
  })
  return before?.body.version_id
}
