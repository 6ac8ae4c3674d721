/** Checks that a log has the events that witnesses remember, to detect an older copy or another log. */

import type { LogEnd } from './logEnd.ts'
import { logRequest, placeAt } from './messages.ts'
import { isDamagedLog } from './protocolErrors.ts'
import type { PageReader } from './readPage.ts'

/** An event that was in the log, as another store recorded. */
export interface RememberedEvent {
  readonly by: string
  readonly position: number
  readonly id: string
}

/** Rejects with an `Error` for an operator when the log lacks one of them, and with what reading throws. */
export async function checkWitnesses(
  { reader, end }: { readonly reader: PageReader; readonly end: LogEnd },
  witnesses: readonly RememberedEvent[],
): Promise<void> {
  for (const witness of witnesses) {
    if (await isThere(reader, witness)) continue
    const { by, position } = witness
    throw new Error(
      `Cannot use the log that EVENTSTORE_URL leads to: ${by} remembers an event at position ${position} that it does not have; it ends at ${await end.find()}. Nothing was changed. Restore the log that this data folder belongs to, or name another folder with VIGIL_DATA; to go on without what is missing: vigil restore --accept-loss.`,
    )
  }
}

/** Whether the log has the event. Rejects with what reading throws. */
export async function isThere(
  reader: PageReader,
  { position, id }: RememberedEvent,
): Promise<boolean> {
  const from = placeAt(position)
  try {
    const [found] = await reader.read(logRequest({ from, direction: 'forwards', limit: 1 }))
    return found?.event.position === position && found.event.id === id
  } catch (error) {
    if (isDamagedLog(error)) return false
    throw error
  }
}
