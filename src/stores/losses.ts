/** One table of what of a log and its keys can be lost, how it is seen, and what is said of it. */

import type { KeyLossReason } from '../events/operations/loss.ts'
import type { LogWitness } from './eventStore.ts'
import { isProofOf } from './keys/keyWrapping.ts'

export interface LogLoss {
  /** Where the log ends, 0 without an event. */
  readonly endPosition: number
  /** How far it had come by the word of the witnesses; absent when only that there was one is known. */
  readonly seen?: number
  /** Names of what proves it: the witness file, read models, keys. */
  readonly provenBy: readonly string[]
}

export interface KeyLoss {
  readonly reason: KeyLossReason
  /** Whether the stored keys are of no use: to go on, new ones are made elsewhere. */
  readonly isUnusable: boolean
  /** A sentence without its end, that names where they are stored. */
  readonly text: string
}

export interface KeysToInspect {
  /** The master key that the service would start with; undefined when there is none. */
  readonly masterKey: Uint8Array | undefined
  /** Whether the log has an event: then there were keys, which are made before the first. */
  readonly isLogInUse: boolean
}

/** Where keys are stored, as their sentences name it. */
export interface KeyPlace {
  /** `keys.db` with its path, or the database. */
  readonly keys: string
  /** Where the master key is looked for. */
  readonly masterKey: string
}

interface KeyLossKind {
  readonly isUnusable: boolean
  readonly say: (place: KeyPlace, found: string) => string
}

/** Every loss of keys. How it is seen stands beside it; what was found completes the sentence. */
const keyLosses: Readonly<Record<KeyLossReason, KeyLossKind>> = {
  // no keys, though the log has an event or the witness file knows of keys
  gone: {
    isUnusable: false,
    say: ({ keys }, found) => `${keys}: ${found} the keys of all personal data in the log`,
  },
  // SQLite's check of every page
  damaged: {
    isUnusable: true,
    say: ({ keys }) => `${keys}: the file is damaged or not a database`,
  },
  // fewer changes than the witness file knows of
  older_copy: {
    isUnusable: false,
    say: ({ keys }, found) => `${keys}: it is not the newest: ${found}`,
  },
  // no master key, though keys were made under one
  no_master_key: {
    isUnusable: true,
    say: ({ keys, masterKey }) =>
      `${keys}: VIGIL_MASTER_KEY is not set, there is no ${masterKey}, and its keys were made under one`,
  },
  // the proof beside the keys is of another master key
  other_master_key: {
    isUnusable: true,
    say: ({ keys, masterKey }) =>
      `${keys}: its keys were made under another master key than this one (VIGIL_MASTER_KEY, else ${masterKey})`,
  },
}

/** A loss of keys; `found` is what its sentence says of how it was seen. */
export function keyLoss(reason: KeyLossReason, place: KeyPlace, found = ''): KeyLoss {
  const { isUnusable, say } = keyLosses[reason]
  return { reason, isUnusable, text: say(place, found) }
}

/** The loss of the master key that the stored proof is of, or undefined. */
export function findMasterKeyLoss(
  proof: Uint8Array | undefined,
  masterKey: Uint8Array | undefined,
  place: KeyPlace,
): KeyLoss | undefined {
  if (!masterKey) return keyLoss('no_master_key', place)
  if (proof && isProofOf(masterKey, proof)) return undefined
  return keyLoss('other_master_key', place)
}

const putBackFiles =
  'Put back keys.db, keys.db-wal and master.key as they were, or the newest backup of them'

/** The error that ends a start: lost keys and advice. */
export function keyLossError({ text }: KeyLoss, putBack = putBackFiles): Error {
  return new Error(
    `Cannot use ${text}. No key was changed. ${putBack}; to go on without the keys that are missing: vigil restore --accept-key-loss.`,
  )
}

/** The loss that these witnesses prove, which the log does not bear out; undefined without any. */
export function describeLogLoss(kept: number, against: readonly LogWitness[]): LogLoss | undefined {
  if (against.length === 0) return undefined
  const seen = Math.max(...against.map(({ position }) => position))
  return { endPosition: kept, seen, provenBy: [...new Set(against.map(({ by }) => by))] }
}

/** What is missing: a sentence without its end. */
export function logLossText({ endPosition: kept, seen, provenBy }: LogLoss): string {
  const by = new Intl.ListFormat('en').format(provenBy)
  const end = kept === 0 ? 'it is empty or gone' : `it ends at position ${kept}`
  if (seen === undefined) return `${end}, but ${by} was made beside it`
  if (seen <= kept) {
    return `it is not the log that ${by} saw: another event stands at position ${seen}`
  }
  return `${end}, but by ${by} it had come to position ${seen}: the events from position ${kept + 1} on are missing`
}

const putBackLog =
  'Put back log.db as it was, together with its log.db-wal, or the newest backup; to go on without what is missing: vigil restore --accept-loss.'

/** The error that ends a start: lost events and advice. */
export function logLossError(loss: LogLoss, file: string): Error {
  return new Error(`Cannot use ${file}: ${logLossText(loss)}. Nothing was changed. ${putBackLog}`)
}
