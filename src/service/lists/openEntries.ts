/** What the entries of a list say, their personal fields opened. */

import { openPersonal, sealedUnder } from '../../events/catalogue.ts'
import type { DecodedEvent } from '../../events/recording/event.ts'
import type { Answered } from '../../queries/heavyQuestions.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'

type Entry = Answered<'listPhoneNumbers'>['items'][number]

/** In the same order, all keys asked for at once. Throws `unavailable` where a key is lost. */
export async function openEntries(
  { keyring }: Pick<ServiceContext, 'keyring'>,
  entries: readonly Entry[],
): Promise<readonly Entry['data'][]> {
  const decoded = entries.map(recordedAs)
  const keys = await keyring.keys([...new Set(decoded.flatMap(sealedUnder))])
  return decoded.map((event) => openPersonal(event, keys).event.data)
}

/** The event that the entry was made of, as far as it takes to open it. */
function recordedAs({ account, event_id: id, event_position: position, data }: Entry) {
  const metadata = { account, actor: '', request: '', command: '', time: 0, version: 1 }
  const event = { type: 'PhoneNumberListed', data } as const
  return { id, event, metadata, stream: '', revision: 0, position } satisfies DecodedEvent
}
