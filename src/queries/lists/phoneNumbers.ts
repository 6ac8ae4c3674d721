/** Questions about the phone lists of an account. */

import type { Page } from '../../domain/call.ts'
import type { PhoneList } from '../../domain/phoneLists.ts'
import { keyChars, phoneNumberKeyCollection } from '../../projections/lists/phoneNumberKeys.ts'
import {
  type PhoneNumberDocument,
  phoneNumberCollection,
} from '../../projections/lists/phoneNumbers.ts'
import type { Find } from '../../stores/readStore.ts'
import { findDocuments } from '../reading/documents.ts'
import { findPage, type PageAsked } from '../reading/page.ts'
import type { Readers } from '../reading/readers.ts'

interface PhoneNumbersAsked extends PageAsked {
  readonly account: string
  readonly list: PhoneList
}

/** The entries of a list in the order in which they were added, those that have expired among them. Personal fields are sealed. */
export async function listPhoneNumbers(
  readers: Readers,
  { account, list, ...asked }: PhoneNumbersAsked,
): Promise<Page<PhoneNumberDocument>> {
  const question = { where: { account, list }, sort: ['added'] as const, ...asked }
  const page = await findPage(readers, phoneNumberCollection, question)
  return { ...page, items: page.items.map(({ body }) => body) }
}

/** Documents of keys read at a time. */
const pageMax = 100

/** The keys of all numbers on a list, page by page: the first 64 bits of their subject digests, in 11 characters of base64url. */
export async function* readPhoneNumberKeys(
  readers: Readers,
  { account, list }: Pick<PhoneNumbersAsked, 'account' | 'list'>,
): AsyncGenerator<readonly string[]> {
  let after: Find['after']
  for (;;) {
    const page = await findDocuments(readers, phoneNumberKeyCollection, {
      where: { id: { prefix: `${account}/${list}/` } },
      limit: pageMax,
      ...(after ? { after } : {}),
    })
    yield page.flatMap(({ body: { keys } }) => keysIn(keys))
    const last = page.at(-1)
    if (!last || page.length < pageMax) return
    after = { id: last.id, values: [] }
  }
}

function keysIn(text: string): readonly string[] {
  const keys: string[] = []
  for (let at = 0; at < text.length; at += keyChars) keys.push(text.slice(at, at + keyChars))
  return keys
}
