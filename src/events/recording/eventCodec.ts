/** Builds the codec of a table of event types: encode, decode, open sealed fields. */

import { asSchemaOf } from '../../domain/jsonSchema.ts'
import { decodeEvent, type EventToDecode } from './decodeEvent.ts'
import { type EncodedEvent, type EventToEncode, encodeEvent } from './encodeEvent.ts'
import { type DecodedEvent, type DomainEvent, logEpoch } from './event.ts'
import type { EventDefinitions } from './eventDefinition.ts'
import { epochMs, integer, list, nonEmptyString, object, text } from './eventSchema.ts'
import {
  buildEventTable,
  createSchemaChecker,
  type EventTypeEntry,
  prepareChecks,
} from './eventTable.ts'
import { collectSealingKeyIds, openSealedFields, type SealedEvent } from './openSealedFields.ts'
import type { Keyring, KeyState } from './sealing.ts'

export interface EventCodec<Event extends DomainEvent> {
  /** Every type with the version written today. */
  readonly versions: ReadonlyMap<string, number>
  /** Makes everything ready that is else made at its first use. */
  readonly prepare: () => Promise<void>
  /**
   * The recorded form, personal fields sealed; the id is the UUIDv5 of command and index. Throws when the data does not fit its
   * schema, `Failure` `unavailable` when the keyring has no key left.
   */
  readonly encode: (one: EventToEncode, keyring: Keyring) => EncodedEvent
  /**
   * The fact in today's version, personal fields still sealed. Throws on what is no JSON, does not fit, is of an unknown type, or
   * was written in a version newer than this program.
   */
  readonly decode: (recorded: EventToDecode) => DecodedEvent<Event>
  /** The ids of the keys that the personal fields are sealed under. */
  readonly sealedUnder: (decoded: Pick<DecodedEvent, 'event'>) => readonly string[]
  /**
   * The fact with every sealed field opened, or forgotten where its key was destroyed. Throws `Failure` `unavailable` where it is lost
   * or damaged, and an `Error` on an altered box.
   */
  readonly openPersonal: <One extends SealedEvent>(
    decoded: One,
    keys: ReadonlyMap<string, KeyState>,
  ) => One
  /** The same, with the keys of the keyring. */
  readonly openEvent: <One extends DomainEvent>(
    decoded: DecodedEvent<One>,
    keyring: Pick<Keyring, 'keys'>,
  ) => Promise<DecodedEvent<One>>
}

const metadataSchema = object(
  {
    account: nonEmptyString,
    actor: nonEmptyString,
    // empty on what the service does by itself
    request: text,
    command: nonEmptyString,
    time: epochMs,
    epoch: asSchemaOf<number>({ type: 'integer', const: logEpoch }),
    version: { ...integer, minimum: 1 },
  },
  {
    key: nonEmptyString,
    digest: nonEmptyString,
    causation: nonEmptyString,
    subjects: list(object({ digest: nonEmptyString, key: nonEmptyString })),
  },
)

/** The codec of these definitions; `areas` gives the area of each type with personal data. */
export function buildEventCodec<Event extends DomainEvent>(
  definitions: EventDefinitions,
  areas: ReadonlyMap<string, string> = new Map(),
): EventCodec<Event> {
  const table = buildEventTable(definitions, areas)
  const checkMetadata = createSchemaChecker()(metadataSchema, 'metadata')
  const entryOf = (type: string): EventTypeEntry => {
    const entry = table.get(type)
    if (!entry) throw new Error(`there is no event type ${type}`)
    return entry
  }

  const codec: EventCodec<Event> = {
    versions: new Map([...table].map(([type, { version }]) => [type, version])),
    prepare: () => prepareChecks(table),
    encode: (one, keyring) =>
      encodeEvent({ entry: entryOf(one.event.type), checkMetadata }, one, keyring),
    decode: (recorded) => decodeEvent<Event>({ table, checkMetadata }, recorded),
    sealedUnder: (decoded) => collectSealingKeyIds(entryOf(decoded.event.type), decoded),
    openPersonal: (decoded, keys) => openSealedFields(entryOf(decoded.event.type), decoded, keys),
    openEvent: async (decoded, keyring) => {
      const ids = codec.sealedUnder(decoded)
      return ids.length === 0 ? decoded : codec.openPersonal(decoded, await keyring.keys(ids))
    },
  }
  return codec
}
