/** Has the data folder bear witness of a log that is kept elsewhere: the keys and whoever starts anew know how far it had come. */

import type { Append, Appended, EventStore } from '../eventStore.ts'
import { openRefusal } from './databaseTrouble.ts'
import { eventChecksum } from './logRows.ts'
import { openWitnessFile, type WitnessFile } from './witnessFile.ts'

export interface WitnessOptions {
  /** The witness of the log in the data folder. */
  readonly file: string
  readonly nowMs: () => number
  /** Told why an append could not be witnessed; it is in the log all the same. */
  readonly onFault: (error: unknown) => void
}

/**
 * The same store; what it has appended is witnessed before it is answered, those that are answered in one turn of the event loop together.
 * Closing it closes the witness. Throws an `Error` that names the file when it cannot be used.
 */
export function witnessAppends(
  events: EventStore,
  { file, nowMs, onFault }: WitnessOptions,
): EventStore {
  const witness = openWitness(file)
  const bear = ({ position, append: { stream, events: written }, revision }: Written): void => {
    const event = written.at(-1)
    if (!event) return
    try {
      const checksum = eventChecksum({ ...event, stream, revision, position })
      witness.write({ position, id: event.id, checksum, atMs: nowMs() })
    } catch (error) {
      onFault(error)
    }
  }
  const witnessed = witnessInTurns(bear)
  const underWay = openCount()
  return {
    ...events,
    append: async (append) => {
      underWay.begin()
      try {
        const answer = await events.append(append)
        if (answer.ok) await witnessed({ ...answer, append })
        return answer
      } finally {
        underWay.end()
      }
    },
    close: async () => {
      await events.close()
      await underWay.none()
      witness.close()
    },
  }
}

interface Count {
  readonly begin: () => void
  readonly end: () => void
  /** Settles when there is none. */
  readonly none: () => Promise<void>
}

function openCount(): Count {
  let count = 0
  let atNone = () => {}
  return {
    begin: () => {
      count += 1
    },
    end: () => {
      count -= 1
      if (count === 0) atNone()
    },
    none: () =>
      new Promise((resolve) => {
        atNone = resolve
        if (count === 0) resolve()
      }),
  }
}

interface Written extends Appended {
  readonly append: Append
}

/**
 * Of all that is told in one turn of the event loop only the last place in the log is witnessed: it stands for those before it. What it
 * answers settles once what was told, or something after it, is.
 */
function witnessInTurns(
  bear: (written: Written) => void,
): (written: Written) => Promise<void> | undefined {
  let borne = 0
  let last: Written | undefined
  let turn: Promise<void> | undefined
  const bearLast = (): void => {
    turn = undefined
    if (!last) return
    borne = last.position
    bear(last)
    last = undefined
  }
  return (written) => {
    if (written.position <= borne) return undefined
    if (!last || written.position > last.position) last = written
    turn ??= new Promise((resolve) => {
      setImmediate(() => {
        bearLast()
        resolve()
      })
    })
    return turn
  }
}

function openWitness(file: string): WitnessFile {
  try {
    return openWitnessFile(file)
  } catch (error) {
    throw openRefusal(error, file)
  }
}
