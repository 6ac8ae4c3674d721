/** Has the data folder bear witness of a log that is kept elsewhere: the keys and whoever starts anew know how far it had come. */

import type { EventStore } from '../eventStore.ts'
import { openRefusal } from './databaseTrouble.ts'
import { eventChecksum } from './eventChecksum.ts'
import { openWitnessFile, type WitnessFile } from './witnessFile.ts'

export interface WitnessOptions {
  /** The witness of the log in the data folder. */
  readonly file: string
  readonly nowMs: () => number
  /** Told why an append could not be witnessed; it is in the log all the same. */
  readonly onFault: (error: unknown) => void
}

/**
 * The same store; what it has appended is witnessed before it is answered. Closing it closes the witness. Throws an `Error` that names
 * the file when it cannot be used.
 */
export function witnessAppends(
  events: EventStore,
  { file, nowMs, onFault }: WitnessOptions,
): EventStore {
  const witness = openWitness(file)
  let last = 0
  return {
    ...events,
    append: async (append) => {
      const answer = await events.append(append)
      const event = append.events.at(-1)
      if (!answer.ok || !event || answer.position <= last) return answer
      last = answer.position
      const { stream } = append
      const { revision, position } = answer
      const checksum = eventChecksum({ ...event, stream, revision, position })
      try {
        witness.write({ position, id: event.id, checksum, atMs: nowMs() })
      } catch (error) {
        onFault(error)
      }
      return answer
    },
    close: async () => {
      await events.close()
      witness.close()
    },
  }
}

function openWitness(file: string): WitnessFile {
  try {
    return openWitnessFile(file)
  } catch (error) {
    throw openRefusal(error, file)
  }
}
