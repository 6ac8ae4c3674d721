/** Reads the keys of list values and the sizes of networks from documents, for the list cache. */

import type { NetworkSize } from '../../events/lists/listEntry.ts'
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

/** A value as the first 64 bits of its subject digest, in 11 characters of base64url. */
interface EntryKey {
  readonly subject: string
  readonly network?: NetworkSize | undefined
  /** In milliseconds since the Unix epoch; undefined for one that stays. */
  readonly expiresAtMs?: number | undefined
}

/** The keys of all values on a list, page by page: of what has expired a while ago some are among them. */
export async function* readListEntryKeys(
  readers: Readers,
  { account, list }: ListAsked,
): AsyncGenerator<readonly EntryKey[]> {
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

/** Lengths of prefixes that there are, of both versions of IP. */
const sizesMax = 32 + 128

/** Of which sizes the networks on a list are: one question for each of them, however many networks there are. */
export async function readNetworkSizes(
  readers: Readers,
  { account, list }: ListAsked,
): Promise<readonly NetworkSize[]> {
  const start = `${account}/${list}/`
  const sizes: NetworkSize[] = []
  for (let behind = start; sizes.length < sizesMax; ) {
    const [next] = await findDocuments(readers, listEntryKeyCollection, {
      where: { id: { gt: behind, lt: behindAll(start) } },
      limit: 1,
    })
    const network = next?.body.network
    if (!network) break
    sizes.push(network)
    behind = behindAll(`${start}${network.version}.${network.prefix}.`)
  }
  return sizes
}

/** Behind every id that begins so: they are of letters, digits and signs below it. */
function behindAll(beginning: string): string {
  return `${beginning}~`
}
