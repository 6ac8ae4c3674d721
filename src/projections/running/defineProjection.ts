/** Defines a projection with its own types of events and documents. */

import type { DecodedEvent, DomainEvent } from '../../events/recording/event.ts'
import type { DocumentCollection, Projection, Target } from './projection.ts'

export interface TypedProjection<Event extends DomainEvent, Document extends object>
  extends Omit<Projection<Event>, 'apply' | 'collections'> {
  readonly collections: readonly DocumentCollection<Document>[]
  readonly apply: (
    document: Document | undefined,
    decoded: DecodedEvent<Event>,
    target: Target,
  ) => Document | null
}

/** Same projection, untyped; the runner passes it only events that it handles and documents that it made. */
export function defineProjection<Event extends DomainEvent, Document extends object>(
  projection: TypedProjection<Event, Document>,
): Projection {
  return projection as unknown as Projection
}
