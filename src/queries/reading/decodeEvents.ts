/** Decodes events of the log and opens what is personal in them, in slices. */

import { type LoadContext, runInSlices } from '../../domain/load/scheduler.ts'
import { mapInSteps } from '../../domain/load/steps.ts'
import { decode, openPersonal, sealedUnder, type VigilEvent } from '../../events/catalogue.ts'
import type { DecodedEvent } from '../../events/recording/event.ts'
import type { Keyring } from '../../events/recording/sealing.ts'
import type { RecordedEvent } from '../../stores/eventStore.ts'

/** Long work: the events, opened with one read of all keys, sealed unless `opens`. Throws `unavailable`. */
export async function decodeEvents<Event extends VigilEvent = VigilEvent>(
  context: LoadContext & { readonly keyring: Pick<Keyring, 'keys'> },
  recorded: readonly RecordedEvent[],
  opens: boolean,
): Promise<readonly DecodedEvent<Event>[]> {
  const decodeOne = (one: RecordedEvent) => decode(one) as DecodedEvent<Event>
  const sealed = await runInSlices(context, mapInSteps(recorded, decodeOne))
  if (!opens) return sealed
  const keys = await context.keyring.keys([...new Set(sealed.flatMap(sealedUnder))])
  return runInSlices(
    context,
    mapInSteps(sealed, (one) => openPersonal(one, keys)),
  )
}
