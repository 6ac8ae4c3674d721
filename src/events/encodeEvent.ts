/** A fact on its way into the log: its personal fields sealed, the rest validated, all of it text. */

import { uuidV5 } from '../domain/uuid.ts'
import type { Clear, SubjectOf } from './definition.ts'
import type { DomainEvent, EventContext, EventMetadata } from './event.ts'
import type { Check, Data, EventEntry } from './eventTable.ts'
import { type Keyring, seal } from './sealing.ts'

/** An event as it goes into a store; `data` and `metadata` are JSON texts. */
export interface EncodedEvent {
  readonly id: string
  readonly type: string
  readonly data: string
  readonly metadata: string
}

/** One event of a command. */
export interface ToEncode {
  readonly event: DomainEvent
  readonly context: EventContext
  /** Number of the event among those of its command, from 0; the event's id is made of both. */
  readonly index: number
}

interface SealedUnder {
  readonly of: SubjectOf
  readonly digest: string
  readonly key: ReturnType<Keyring['assign']>
}

/** The recorded form of a fact. Throws when it does not fit its schema, `Failure` `unavailable` when the keyring has no key. */
export function encodeEvent(
  { entry, checkMetadata }: { readonly entry: EventEntry; readonly checkMetadata: Check },
  { event, context, index }: ToEncode,
  keyring: Keyring,
): EncodedEvent {
  const data = event.data as Data
  const id = uuidV5(context.command, String(index))
  const under: SealedUnder[] = []
  const recorded =
    entry.personal.length === 0
      ? data
      : sealFields({ entry, data, under }, { id, account: context.account, keyring })
  const metadata = metadataOf(context, entry.version, under)
  checked(entry, () => {
    entry.checkRecorded(recorded)
    checkMetadata(metadata)
  })
  return {
    id,
    type: entry.type,
    data: JSON.stringify(recorded),
    metadata: JSON.stringify(metadata),
  }
}

function metadataOf(
  context: EventContext,
  version: number,
  under: readonly SealedUnder[],
): EventMetadata {
  return under.length === 0
    ? { ...context, version }
    : { ...context, version, subjects: under.map(({ digest, key }) => ({ digest, key: key.id })) }
}

interface Sealing {
  readonly id: string
  readonly account: string
  readonly keyring: Keyring
}

function sealFields(
  event: { readonly entry: EventEntry; readonly data: Data; readonly under: SealedUnder[] },
  sealing: Sealing,
): Data {
  const { entry, data, under } = event
  const recorded: Record<string, unknown> = { ...data }
  for (const { field, optional, subject, check } of entry.personal) {
    const value = data[field]
    if (value === undefined && optional) continue
    checked(entry, () => check(value))
    const { key } = keyOf(subject(data as Clear<Data>), under, sealing)
    recorded[field] = seal(
      value,
      { event: sealing.id, field },
      { key, nonce: sealing.keyring.nonce() },
    )
  }
  return recorded
}

/** The key of a subject, the same for all fields of one event that share the subject. */
function keyOf(of: SubjectOf, under: SealedUnder[], { account, keyring }: Sealing): SealedUnder {
  const held = under.find((other) => isSame(other.of, of))
  if (held) return held
  const digest = 'digest' in of ? of.digest : keyring.subject(account, of.kind, of.value)
  const made = { of, digest, key: keyring.assign(digest) }
  under.push(made)
  return made
}

function isSame(a: SubjectOf, b: SubjectOf): boolean {
  if ('digest' in a || 'digest' in b) return 'digest' in a && 'digest' in b && a.digest === b.digest
  return a.kind === b.kind && a.value === b.value
}

function checked(entry: EventEntry, check: () => void): void {
  try {
    check()
  } catch (cause) {
    throw new Error(`${entry.type} cannot be recorded: ${wordsOf(cause)}`, { cause })
  }
}

function wordsOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}
