/** Reads the lookup keys of list entries from the read model, for the list cache. */

import {
  decodeExpiringKeys,
  decodeKeys,
  listEntryKeyCollection,
} from '../../projections/lists/listEntryKeys.ts'
import { type Readers, readDocumentPages } from '../../projections/running/documents.ts'
import type { StoredListValue } from './listCache.ts'

/** Documents of keys read at a time. */
const pageMax = 100

/** The keys of all entries of a list, page by page, some expired ones included. */
export async function* readListEntryKeys(
  readers: Readers,
  { account, list }: { readonly account: string; readonly list: string },
): AsyncGenerator<readonly StoredListValue[]> {
  const question = { where: { id: { prefix: `${account}/${list}/` } } }
  const reading = { question, readAtOnce: pageMax }
  for await (const page of readDocumentPages(readers, listEntryKeyCollection, reading)) {
    yield page.flatMap(({ body: { keys, ending = '', network } }) => [
      ...decodeKeys(keys).map((subject) => ({ subject, network })),
      ...decodeExpiringKeys(ending).map(({ key: subject, expiresAtMs }) => ({
        subject,
        network,
        expiresAtMs,
      })),
    ])
  }
}
