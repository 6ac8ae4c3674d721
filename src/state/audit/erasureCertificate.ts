/** Declares certificates of erasures with their stream type, and reads them. */

import {
  countSchema,
  openObject,
  optional,
  type TypeOf,
  text,
  timeSchema,
} from '../../domain/jsonSchema.ts'
import { isoTime } from '../../domain/text/isoTime.ts'
import {
  type PersonErasureEvent,
  personErasureStream,
  personIdKinds,
} from '../../events/audit/erasure.ts'
import { decode } from '../../events/catalogue.ts'
import type { DecodedEvent } from '../../events/recording/event.ts'
import type { StateContext } from '../folding/stateContext.ts'
import type { StreamType } from '../folding/streamType.ts'

/** The certificate of an erasure: it says what was erased, never the person. */
export const erasureSchema = openObject('Erasure', {
  id: text,
  kind: { type: 'string', enum: personIdKinds, description: 'How the person was identified.' },
  reason: optional(text),
  requested_by: { type: 'string', description: 'Id of the token.' },
  requested_at: { ...timeSchema, description: 'Everything answered before this time is erased.' },
  erased_at: { ...timeSchema, description: 'When the erasure was complete.' },
  keys: {
    ...countSchema,
    description: 'Destroyed sealing keys of the person, including those of earlier erasures.',
  },
  evaluations: {
    ...countSchema,
    description: 'Evaluations whose evidence is erased, each once; the verdicts stay.',
  },
  dispatches: { ...countSchema, description: 'Dispatches that those, feedback or events named.' },
  users: {
    ...countSchema,
    description:
      'Deleted users who had the number or an address, including those of earlier erasures.',
  },
  position: { type: 'string', description: 'Position of the certificate in the log.' },
  erasures: {
    type: 'array',
    items: { type: 'string', description: 'In the log.' },
    description: "Positions of the events that record the destruction of the person's keys.",
  },
})
export type ErasureView = TypeOf<typeof erasureSchema>

export const erasureStreamType: StreamType<true | undefined, PersonErasureEvent> = {
  initial: () => undefined,
  evolve: () => true,
  estimateBytes: () => 0,
}

/** Undefined when the account has no erasure of this id. Throws `unavailable` when the log cannot be read. */
export async function readCertificate(
  { events }: Pick<StateContext, 'events'>,
  { account, id }: { readonly account: string; readonly id: string },
): Promise<ErasureView | undefined> {
  const [recorded] = await events.readStream(personErasureStream(id), { from: 0, limit: 1 })
  if (!recorded) return undefined
  const decoded = decode(recorded) as DecodedEvent<PersonErasureEvent>
  return decoded.metadata.account === account ? toErasureView(decoded) : undefined
}

function toErasureView({
  event,
  metadata,
  position,
}: DecodedEvent<PersonErasureEvent>): ErasureView {
  const { erasure_id: id, kind, reason, subject: _, erased_at, positions, ...counts } = event.data
  return {
    id,
    kind,
    ...(reason !== undefined && { reason }),
    requested_by: metadata.actor,
    requested_at: isoTime(metadata.time),
    erased_at: isoTime(erased_at),
    ...counts,
    position: String(position),
    erasures: positions.map(String),
  }
}
