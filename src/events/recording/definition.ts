/** Declares the definition of an event type: schema, upcasters, personal fields. */

import type { DomainEvent } from './event.ts'
import type { ObjectSchema, SchemaOf } from './schema.ts'
import type { Forgotten, Sealed, SubjectKind } from './sealing.ts'
import type { ShapeOf } from './shapeOf.ts'

/** Data with its personal fields in clear, as a command gives it. */
export type Clear<Data> = {
  readonly [Field in keyof Data]: Exclude<Data[Field], Sealed | Forgotten>
}

/** The fields of an event's data that are `Personal`. */
type PersonalField<Data> = {
  [Field in keyof Data]-?: Sealed extends NonNullable<Data[Field]> ? Field : never
}[keyof Data]

/** The subject of a value: a canonical value of a kind, or the digest of one. */
export type SubjectOf =
  | { readonly kind: SubjectKind; readonly value: string }
  | { readonly digest: string }

export interface PersonalDefinition<Data, Shape> {
  readonly subject: (data: Clear<Data>) => SubjectOf
  /** Others whose data it is as well: it is erased with any of them. */
  readonly also?: (data: Clear<Data>) => readonly SubjectOf[]
  /** Of the clear value, checked before it is sealed. */
  readonly schema: SchemaOf<Shape>
  /** Of a field that may be absent. */
  readonly optional?: true
}

type PersonalDefinitions<Data> = {
  readonly [Field in PersonalField<Data>]: PersonalDefinition<
    Data,
    ShapeOf<NonNullable<Clear<Data>[Field]>>
  > &
    (Record<never, never> extends Pick<Data, Field>
      ? { readonly optional: true }
      : { readonly optional?: never })
}

/**
 * One event type. A type that a release has written never changes: append an upcaster from the version before, and leave the fixtures
 * of the older versions as they are. A personal field keeps its name for ever, because the name is sealed with it.
 */
export interface EventDefinition<Data> {
  /**
   * Of the data of today's version, without its personal fields: of exactly its members and their values, so that a type that grows
   * does not compile before it has been decided what becomes of the events of this version.
   */
  readonly schema: ObjectSchema<ShapeOf<Omit<Data, PersonalField<Data>>>>
  /** `upcasters[n]` turns data of version n + 1 into data of version n + 2, so there is one for each older version; none unless given. */
  readonly upcasters?: readonly ((data: Readonly<Record<string, unknown>>) => object)[]
  /** Every personal field and no other. */
  readonly personal: PersonalDefinitions<Data>
}

/** The definitions of a group of events, one for every type. */
export type Definitions<Event extends DomainEvent> = {
  readonly [Type in Event['type']]: EventDefinition<Extract<Event, { type: Type }>['data']>
}

/** The definition of a type that has had one version and holds no personal data. */
export function plain<Shape>(schema: ObjectSchema<Shape>) {
  return { schema, personal: {} }
}
