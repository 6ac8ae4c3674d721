/** Builds the table of event types: versions, upcasters, personal fields and lazy validators. */

import { Ajv, type ValidateFunction } from 'ajv'
import type { Schema } from '../../domain/jsonSchema.ts'
import { pauseLongWork } from '../../domain/load/longWork.ts'
import type {
  DataSubject,
  EventDefinition,
  EventDefinitions,
  PersonalDefinition,
} from './eventDefinition.ts'
import { type ObjectSchema, sealedValueSchema } from './eventSchema.ts'
import { expressionSchema } from './expressionSchema.ts'

export type EventData = Readonly<Record<string, unknown>>

export interface DataCheck {
  /** Throws, in words that name the place and never the value, when the value does not fit. */
  (value: unknown): void
  /** Compiles it, which its first use does else. */
  readonly prepare: () => void
}

interface PersonalEntry {
  readonly field: string
  readonly optional: boolean
  readonly subject: PersonalDefinition['subject']
  readonly also: NonNullable<PersonalDefinition['also']>
  /** Of the clear value. */
  readonly check: DataCheck
}

export interface EventTypeEntry {
  readonly type: string
  /** Whose keys its personal data is sealed under. */
  readonly area: string
  /** The version written today; versions begin with 1. */
  readonly version: number
  readonly upcasters: NonNullable<EventDefinition['upcasters']>
  readonly personal: readonly PersonalEntry[]
  /** Of the data as it stands in the log: every personal field sealed. */
  readonly checkRecorded: DataCheck
}

const nobodyElse = (): readonly DataSubject[] => []

/** The entries by type. */
export function buildEventTable(
  definitions: EventDefinitions,
  areas: ReadonlyMap<string, string>,
): ReadonlyMap<string, EventTypeEntry> {
  const checker = createSchemaChecker()
  return new Map(
    Object.entries(definitions).map(([type, definition]) => [
      type,
      { ...entryOf(type, definition, checker), area: areas.get(type) ?? '' },
    ]),
  )
}

/** Makes checks out of schemas; each is compiled at its first use, since no process uses all of them at once. */
export function createSchemaChecker(): (schema: Schema, name: string) => DataCheck {
  const ajv = new Ajv({
    strict: true,
    discriminator: true,
    allowUnionTypes: true,
    // the schemas only ask whether a text is empty, for which its characters need not be counted one by one; ajv warns of this
    // option, and a logger would be told nothing else
    unicode: false,
    logger: false,
    schemas: [expressionSchema],
  })
  return (schema, name) => {
    let compiled: ValidateFunction | undefined
    const prepared = (): ValidateFunction => {
      compiled ??= ajv.compile(schema)
      return compiled
    }
    const check = (value: unknown): void => {
      const validate = prepared()
      if (!validate(value)) throw new Error(ajv.errorsText(validate.errors, { dataVar: name }))
    }
    return Object.assign(check, { prepare: () => void prepared() })
  }
}

/** Compiles every check: some take as long as fifty milliseconds. */
export async function prepareChecks(table: ReadonlyMap<string, EventTypeEntry>): Promise<void> {
  for (const { checkRecorded, personal } of table.values()) {
    for (const { prepare } of [checkRecorded, ...personal.map(({ check }) => check)]) {
      prepare()
      await pauseLongWork()
    }
  }
}

function entryOf(
  type: string,
  definition: EventDefinition,
  checker: ReturnType<typeof createSchemaChecker>,
): Omit<EventTypeEntry, 'area'> {
  const { upcasters = [], schema } = definition
  const personal = Object.entries(definition.personal)
  return {
    type,
    version: upcasters.length + 1,
    upcasters,
    personal: personal.map(
      ([field, { subject, also = nobodyElse, schema: clear, optional = false }]) => ({
        field,
        optional,
        subject,
        also,
        check: checker(clear, field),
      }),
    ),
    checkRecorded: checker(recordedSchema(schema, personal), 'data'),
  }
}

function recordedSchema(
  schema: ObjectSchema<unknown>,
  personal: readonly [string, PersonalDefinition][],
): Schema {
  const boxes = personal.map(([field]) => [field, sealedValueSchema] as const)
  const required = personal.filter(([, { optional }]) => !optional).map(([field]) => field)
  return {
    ...schema,
    properties: { ...schema.properties, ...Object.fromEntries(boxes) },
    required: [...schema.required, ...required],
  }
}
