/** Questions about the lists of an account. */

import type { Page } from '../../domain/call.ts'
import type { NetworkSize } from '../../events/lists/listEntry.ts'
import { endingKeys, keysIn } from '../../projections/lists/keyTexts.ts'
import { type ListEntryDocument, listEntryCollection } from '../../projections/lists/listEntries.ts'
import { listEntryKeyCollection } from '../../projections/lists/listEntryKeys.ts'
import type { Find } from '../../stores/readStore.ts'
import { findDocuments, type Readers } from '../reading/documents.ts'
import { findPage, type PageAsked } from '../reading/page.ts'

interface EntriesAsked extends PageAsked {
  readonly account: string
  readonly list: string
}

/** The entries of a list in the order in which they were added, those that have expired among them. Personal fields are sealed. */
export async function listListEntries(
  readers: Readers,
  { account, list, ...asked }: EntriesAsked,
): Promise<Page<ListEntryDocument>> {
  const question = { where: { account, list }, sort: ['added'] as const, ...asked }
  const page = await findPage(readers, listEntryCollection, question)
  return { ...page, items: page.items.map(({ body }) => body) }
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
  { account, list }: Pick<EntriesAsked, 'account' | 'list'>,
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
  { account, list }: Pick<EntriesAsked, 'account' | 'list'>,
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
