/** Declares the definition of an event type: schema, upcasters, personal fields. */

import type { ObjectOf, OptionalField, Schema, SchemaOf, TypeOf } from '../../domain/jsonSchema.ts'
import type { DomainEvent } from './event.ts'
import { type Fields, type ObjectSchema, object } from './eventSchema.ts'
import type { ForgottenValue, PersonalValue, SealedValue, SubjectKind } from './sealing.ts'

/** Data with its personal fields in clear, as a command gives it. */
export type ClearData<Data> = {
  readonly [Field in keyof Data]: Exclude<Data[Field], SealedValue | ForgottenValue>
}

/** The subject of a value: a canonical value of a kind, or the digest of one. */
export type DataSubject =
  | { readonly kind: SubjectKind; readonly value: string }
  | { readonly digest: string }

export interface PersonalDefinition {
  /** Of the data in clear. */
  readonly subject: (data: never) => DataSubject
  /** Others whose data it is as well: it is erased with any of them. */
  readonly also?: (data: never) => readonly DataSubject[]
  /** Of the clear value, checked before it is sealed. */
  readonly schema: Schema
  /** Of a field that may be absent. */
  readonly optional?: true
}

/**
 * One event type. A type that a release has written never changes: append an upcaster from the version before, and
 * leave the fixtures of the older versions as they are. A personal field keeps its name for ever, because the name is
 * sealed with it.
 */
export interface EventDefinition {
  /** Of the data of today's version, without its personal fields. */
  readonly schema: ObjectSchema<unknown>
  /**
   * `upcasters[n]` turns data of version n + 1 into data of version n + 2, so there is one for each older version; none
   * unless given.
   */
  readonly upcasters?: readonly ((data: Readonly<Record<string, unknown>>) => object)[]
  /** Every personal field and no other. */
  readonly personal: Readonly<Record<string, PersonalDefinition>>
}

/** The definitions of a group of events by type. */
export type EventDefinitions = Readonly<Record<string, EventDefinition>>

export type EventOf<Of extends EventDefinitions> = {
  [Type in keyof Of & string]: DomainEvent<Type, DataOf<Of[Type]['schema'], Of[Type]['personal']>>
}[keyof Of & string]

type DataOf<Plain, Personal> = keyof Personal extends never
  ? TypeOf<Plain>
  : TypeOf<Plain> & ObjectOf<PersonalFields<Personal>> extends infer All
    ? { readonly [Name in keyof All]: All[Name] }
    : never

type PersonalFields<Personal> = {
  [Name in keyof Personal]: Personal[Name] extends { readonly schema: infer Of }
    ? Personal[Name] extends { readonly optional: true }
      ? OptionalField<SchemaOf<PersonalValue<TypeOf<Of>>>>
      : SchemaOf<PersonalValue<TypeOf<Of>>>
    : never
}

/** The definition of a type that has had one version and holds no personal data, with these fields and no others. */
export function defineNonPersonalEvent<
  Required extends Fields,
  Optionals extends Fields = Record<never, never>,
>(required: Required, optional?: Optionals) {
  return { schema: object(required, optional), personal: {} }
}
