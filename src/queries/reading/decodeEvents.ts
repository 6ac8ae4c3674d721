/** Decodes events of the log and opens what is personal in them, in slices. */

import { pauseLongWork } from '../../domain/load/longWork.ts'
import { decode, openPersonal, sealedUnder, type VigilEvent } from '../../events/catalogue.ts'
import type { DecodedEvent } from '../../events/recording/event.ts'
import type { Keyring } from '../../events/recording/sealing.ts'
import type { RecordedEvent } from '../../stores/eventStore.ts'

/** The events, opened with one read of all keys; sealed without a keyring. Long work. Throws `unavailable` where a key is lost. */
export async function decodeEvents<Event extends VigilEvent = VigilEvent>(
  recorded: readonly RecordedEvent[],
  keyring?: Pick<Keyring, 'keys'>,
): Promise<readonly DecodedEvent<Event>[]> {
  const sealed: DecodedEvent<Event>[] = []
  for (const one of recorded) {
    await pauseLongWork()
    sealed.push(decode(one) as DecodedEvent<Event>)
  }
  if (!keyring) return sealed
  const keys = await keyring.keys([...new Set(sealed.flatMap(sealedUnder))])
  const opened: DecodedEvent<Event>[] = []
  for (const one of sealed) {
    await pauseLongWork()
    opened.push(openPersonal(one, keys))
  }
  return opened
}
