/** What stands in a data folder and is not in a backup. */

import { compareLogs } from '../../../stores/embedded/compareLogs.ts'
import type { DataFolder } from '../../../stores/embedded/dataFolder.ts'
import { inspectLog, logLossText } from '../../../stores/embedded/inspectStores.ts'
import type { LogEnd } from '../../../stores/embedded/logRows.ts'
import { bearWitness } from '../../../stores/embedded/recordLoss.ts'
import { readWitnessFile } from '../../../stores/embedded/witnesses.ts'

export interface Lack {
  /** A sentence without its end. */
  readonly text: string
  /** Events, and accounts opened by them; unknown where the log that stood there cannot be read. */
  readonly events?: number
  readonly accounts?: number
  /** The end of the log that stands there, when it can be read. */
  readonly end?: LogEnd
}

/**
 * By the word of the log that stands there, and of every witness of it. Throws an `Error` that says what to do when the backup is of another
 * log.
 */
export function findLack(folder: DataFolder, copy: string): Lack | undefined {
  const beyond = compareLogs({ log: folder.log, copy, type: 'AccountOpened' })
  if (beyond && !beyond.sameLog) {
    throw new Error(
      `The backup is of another log than the one in ${folder.path}: name an empty folder with --data.`,
    )
  }
  if (beyond && beyond.events > 0) {
    const { events, ofType: accounts, end } = beyond
    const text = `${folder.log} has ${events} events that the backup lacks; ${accounts} of them opened accounts`
    return { text, events, accounts, end }
  }
  const loss = inspectLog({ ...folder, log: copy })
  return loss && { text: `the backup of log.db: ${logLossText(loss)}` }
}

/** Has the witness know where the log that is given up had come to: no position of it is ever used again. */
export function witnessEnd({ witness }: DataFolder, { end }: Lack, nowMs: number): void {
  if (!end || end.position === 0) return
  const known = readWitnessFile(witness, 'log')
  if (known && known.position >= end.position) return
  bearWitness(witness, { ...end, atMs: nowMs })
}
