/** Whether the sealing keys are all there, by the word of the log and of their witness; to be asked before anything is written. */

import type { LossEvent } from '../../events/operations/loss.ts'
import type { EventMetadata } from '../../events/recording/event.ts'
import type { RecordedEvent } from '../eventStore.ts'
import type { DataFolder } from './dataFolder.ts'
import { inspectKeys, type KeyLoss, type KeysToInspect } from './inspectStores.ts'

/** How many of the last events are asked for their keys; one that only older events name is missed when one of them is read. */
const tailMax = 2_000

const accepted: LossEvent['type'] = 'KeyLossAccepted'

export interface KeysOfLog {
  readonly folder: DataFolder
  /** Who looks at the keys; the key store of the folder unless given. */
  readonly inspect?: (expected: KeysToInspect) => Promise<KeyLoss | undefined>
  /** The master key that the service would start with; undefined when there is none. */
  readonly masterKey: Uint8Array | undefined
  /** The position of the log's last event. */
  readonly head: number
  /** The last events of the log, in order. */
  readonly readTail: (limit: number) => readonly RecordedEvent[] | Promise<readonly RecordedEvent[]>
}

/** The loss, or undefined. Throws what the stores throw. */
export async function findKeyLoss(input: KeysOfLog): Promise<KeyLoss | undefined> {
  const { folder, masterKey, head, readTail } = input
  const { inspect = async (expected) => inspectKeys(folder, expected) } = input
  return inspect({ masterKey, logInUse: head > 0, named: await keysOfTail(readTail) })
}

/** The keys that the last events of the log are sealed under. Throws what the store throws. */
async function keysOfTail(readTail: KeysOfLog['readTail']): Promise<readonly string[]> {
  const tail = await readTail(tailMax)
  // what went with an accepted loss is not looked for again
  const since = tail.findLastIndex(({ type }) => type === accepted) + 1
  return [...new Set(tail.slice(since).flatMap(keysOf))]
}

function keysOf({ metadata }: RecordedEvent): readonly string[] {
  const { subjects = [] } = JSON.parse(metadata) as EventMetadata
  return subjects.map(({ key }) => key)
}

/** What to do about keys in a data folder. */
export const putBackFiles =
  'Put back keys.db, keys.db-wal and master.key as they were, or the newest backup of them'

/** The refusal of a start: what is missing and what to do. */
export function keyLossRefusal({ text }: KeyLoss, putBack = putBackFiles): Error {
  return new Error(
    `Cannot use ${text}. No key was changed. ${putBack}; to go on without the keys that are missing: vigil restore --accept-key-loss.`,
  )
}
