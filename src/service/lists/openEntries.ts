/** What the entries of a list say, their personal fields opened. */

import { openPersonal, sealedUnder } from '../../events/catalogue.ts'
import { type EntrySaid, entryFact } from '../../events/lists/listEntry.ts'
import { recordedAs } from '../../projections/lists/listEntries.ts'
import type { Answered } from '../../queries/heavyQuestions.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'

type Entry = Answered<'listListEntries'>['items'][number]

/** In the same order, all keys asked for at once. Throws `unavailable` where a key is lost. */
export async function openEntries(
  { keyring }: Pick<ServiceContext, 'keyring'>,
  entries: readonly Entry[],
): Promise<readonly EntrySaid[]> {
  const decoded = entries.map(recordedAs)
  const keys = await keyring.keys([...new Set(decoded.flatMap(sealedUnder))])
  return decoded.flatMap((recorded) => {
    const fact = entryFact(openPersonal(recorded, keys).event)
    return fact.isListed ? [fact.said] : []
  })
}
