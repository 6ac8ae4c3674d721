/** Lists the changes of a rule, recipe or flow, and reads its versions and their log positions. */

import type { Page, PageRequest } from '../../domain/call.ts'
import {
  type ChangeDocument,
  changeCollection,
  type VersionDocument,
  versionCollection,
} from '../../projections/rulebook/versions.ts'
import {
  type FoundDocument,
  findDocuments,
  getDocument,
  getDocuments,
  type Readers,
} from '../../projections/running/documents.ts'
import { buildCursorScope, createPageBuilder, encodeCursor, findPage } from '../reading/page.ts'

interface ChangesQuery extends PageRequest {
  readonly account: string
  /** Id of the rule, recipe or flow. */
  readonly of: string
}

/** One change, and the version current from then on; of a deletion the version that was deleted. */
export interface VersionChange
  extends Pick<ChangeDocument, 'change' | 'changed_at' | 'changed_by' | 'status'> {
  readonly version: VersionDocument
}

/**
 * The changes, newest first, and few when their versions are long; none of another account's resources. Throws
 * `invalid_request` for what is no cursor.
 */
export async function listVersionChanges(
  readers: Readers,
  { account, of, ...paging }: ChangesQuery,
): Promise<Page<VersionChange>> {
  const question = { where: { account, of }, sort: ['-at'], ...paging } as const
  const page = await findPage(readers, changeCollection, question)
  const ids = await findVersionIds(readers, page.items)
  const shown = createPageBuilder<VersionChange>(paging.limit)
  const versions = new Map<string, VersionDocument | undefined>()
  let last: FoundDocument<ChangeDocument> | undefined
  for (const [index, found] of page.items.entries()) {
    const id = ids[index] ?? ''
    if (!versions.has(id))
      versions.set(id, (await getDocument(readers, versionCollection, id))?.body)
    const version = versions.get(id)
    // a store without transactions may show a change a moment before its version
    if (version && !shown.add(toVersionChange(found, version), version) && last) {
      const order = buildCursorScope(changeCollection, question)
      // whatever comes behind it is older
      const after = { ...last, body: { ...last.body, end: last.body.at } }
      return { items: shown.items, nextCursor: encodeCursor(after, order) }
    }
    last = found
  }
  return { ...page, items: shown.items }
}

function toVersionChange(
  { body }: FoundDocument<ChangeDocument>,
  version: VersionDocument,
): VersionChange {
  const { change, changed_at, changed_by, status } = body
  return { change, changed_at, changed_by, ...(status && { status }), version }
}

/** The id of the version of each of the changes, which are the newest first. */
async function findVersionIds(
  readers: Readers,
  found: readonly FoundDocument<ChangeDocument>[],
): Promise<readonly string[]> {
  const ids: string[] = []
  let current = await findVersionBefore(readers, found.at(-1))
  for (const { body } of found.toReversed()) {
    current = body.version_id ?? current
    ids.push(`${body.of}/${current}`)
  }
  return ids.toReversed()
}

/** The version's id before a change; undefined when there is none, or the change gives a version itself. */
async function findVersionBefore(
  readers: Readers,
  change: FoundDocument<ChangeDocument> | undefined,
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

/** What versions say, by their keys; those that the read models do not have are left out. Throws `unavailable`. */
export async function findVersionContents(
  readers: Readers,
  keys: readonly string[],
): Promise<ReadonlyMap<string, VersionDocument['content']>> {
  if (readers.projections.active(versionCollection.projection) === undefined) return new Map()
  const found = await getDocuments(readers, versionCollection, keys)
  return new Map([...found].map(([key, { content }]) => [key, content]))
}
