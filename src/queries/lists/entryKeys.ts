/** Reads the keys of list entries from documents, for the list cache. */

import type { ListKey } from '../../commands/lists/cachedLists.ts'
import { endingKeys, keysIn } from '../../projections/lists/keyTexts.ts'
import { listEntryKeyCollection } from '../../projections/lists/listEntryKeys.ts'
import type { Find } from '../../stores/readStore.ts'
import { findDocuments, type Readers } from '../reading/documents.ts'

interface ListAsked {
  readonly account: string
  readonly list: string
}

/** Documents of keys read at a time. */
const pageMax = 100

/** The keys of all entries of a list, page by page, some expired ones included. */
export async function* readListEntryKeys(
  readers: Readers,
  { account, list }: ListAsked,
): AsyncGenerator<readonly ListKey[]> {
  let after: Find['after']
  for (;;) {
    const page = await findDocuments(readers, listEntryKeyCollection, {
      where: { id: { prefix: `${account}/${list}/` } },
      limit: pageMax,
      ...(after ? { after } : {}),
    })
    yield page.flatMap(({ body: { keys, ending = '', network } }) => [
      ...keysIn(keys).map((subject) => ({ subject, network })),
      ...endingKeys(ending).map(({ key: subject, expiresAtMs }) => ({
        subject,
        network,
        expiresAtMs,
      })),
    ])
    const last = page.at(-1)
    if (!last || page.length < pageMax) return
    after = { id: last.id, values: [] }
  }
}
