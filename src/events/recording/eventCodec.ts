/** Builds the codec of a table of event types: encode, decode, open sealed fields. */

import { messageOf } from '../../domain/failure.ts'
import { asSchemaOf } from '../../domain/jsonSchema.ts'
import { type EncodedEvent, type EventToEncode, encodeEvent } from './encodeEvent.ts'
import { type DecodedEvent, type DomainEvent, type EventMetadata, logEpoch } from './event.ts'
import type { EventDefinitions } from './eventDefinition.ts'
import { epochMs, integerFrom, list, nonEmptyString, object, text } from './eventSchema.ts'
import {
  buildEventTable,
  createSchemaChecker,
  type EventData,
  type EventTypeEntry,
  prepareChecks,
} from './eventTable.ts'
import { collectSealingKeyIds, openSealedFields, type SealedEvent } from './openSealedFields.ts'
import type { Keyring, KeyState } from './sealing.ts'

/** An event as a store gives it back. */
export interface EventToDecode extends EncodedEvent {
  readonly stream: string
  readonly revision: number
  readonly position: number
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
    version: integerFrom(1),
  },
  {
    key: nonEmptyString,
    digest: nonEmptyString,
    causation: nonEmptyString,
    subjects: list(object({ digest: nonEmptyString, key: nonEmptyString })),
  },
)

/** The codec of these definitions, which are given by area. */
export function buildEventCodec<Event extends DomainEvent>(
  definitionsByArea: Readonly<Record<string, EventDefinitions>>,
) {
  const table = buildEventTable(definitionsByArea)
  const checkMetadata = createSchemaChecker()(metadataSchema, 'metadata')
  const entryOf = (type: string): EventTypeEntry => {
    const entry = table.get(type)
    if (!entry) throw new Error(`there is no such type as ${type}`)
    return entry
  }
  const sealedUnder = (decoded: Pick<DecodedEvent, 'event'>): readonly string[] =>
    collectSealingKeyIds(entryOf(decoded.event.type), decoded)
  const openPersonal = <One extends SealedEvent>(
    decoded: One,
    keys: ReadonlyMap<string, KeyState>,
  ): One => openSealedFields(entryOf(decoded.event.type), decoded, keys)

  return {
    /** Every type with the version written today. */
    versions: new Map([...table].map(([type, { version }]) => [type, version])) as ReadonlyMap<
      string,
      number
    >,
    /** Makes everything ready that is else made at its first use. */
    prepare: () => prepareChecks(table),
    /** See `encodeEvent`. */
    encode: (one: EventToEncode, keyring: Keyring): EncodedEvent =>
      encodeEvent({ entry: entryOf(one.event.type), checkMetadata }, one, keyring),
    /**
     * The fact in today's version, personal fields still sealed. Throws, naming type and position, when data or
     * metadata are no JSON or do not fit, when the type is unknown, and when the version is newer than this program.
     */
    decode: (recorded: EventToDecode): DecodedEvent<Event> => {
      const { id, type, stream, revision, position } = recorded
      try {
        const metadata = JSON.parse(recorded.metadata) as EventMetadata
        checkMetadata(metadata)
        const data = readData(entryOf(type), JSON.parse(recorded.data), metadata)
        return { id, event: { type, data } as Event, metadata, stream, revision, position }
      } catch (cause) {
        const why = cause instanceof SyntaxError ? 'not JSON' : messageOf(cause)
        throw new Error(`event ${type} at position ${position} cannot be read: ${why}`, { cause })
      }
    },
    /** See `collectSealingKeyIds`. */
    sealedUnder,
    /** See `openSealedFields`. */
    openPersonal,
    /** The same, with the keys of the keyring. */
    openEvent: async <One extends DomainEvent>(
      decoded: DecodedEvent<One>,
      keyring: Pick<Keyring, 'keys'>,
    ): Promise<DecodedEvent<One>> => {
      const ids = sealedUnder(decoded)
      return ids.length === 0 ? decoded : openPersonal(decoded, await keyring.keys(ids))
    },
  }
}

function readData(
  { version: today, upcasters, checkRecorded }: EventTypeEntry,
  written: unknown,
  { version }: EventMetadata,
): unknown {
  if (version > today) {
    throw new Error(`version ${version} is newer than this program, which knows ${today}`)
  }
  let data = written
  for (const upcast of upcasters.slice(version - 1)) {
    if (typeof data !== 'object' || data === null) throw new Error('data must be object')
    data = upcast(data as EventData)
  }
  checkRecorded(data)
  return data
}
