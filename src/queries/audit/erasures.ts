/** What was certified of an erasure. */

import { type CertificateEvent, certificateStream } from '../../events/audit/erasure.ts'
import { decode } from '../../events/catalogue.ts'
import type { DecodedEvent } from '../../events/recording/event.ts'
import type { EventStore } from '../../stores/eventStore.ts'

/** Undefined when the account has no erasure of this id. Throws `unavailable` when the log cannot be read. */
export async function findErasure(
  { events }: { readonly events: Pick<EventStore, 'readStream'> },
  { account, id }: { readonly account: string; readonly id: string },
): Promise<DecodedEvent<CertificateEvent> | undefined> {
  const [recorded] = await events.readStream(certificateStream(id), { from: 0, limit: 1 })
  if (!recorded) return undefined
  const decoded = decode(recorded) as DecodedEvent<CertificateEvent>
  return decoded.metadata.account === account ? decoded : undefined
}
