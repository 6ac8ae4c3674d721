/** Builds the table of event types: versions, upcasters, personal fields and lazy validators. */

import { Ajv, type ValidateFunction } from 'ajv'
import type { Schema } from '../../domain/jsonSchema.ts'
import type { Steps } from '../../domain/load/steps.ts'
import type { EventDefinition, EventDefinitions, PersonalDefinition } from './eventDefinition.ts'
import { sealedValueSchema } from './eventSchema.ts'
import { expressionSchema } from './expressionSchema.ts'

export type EventData = Readonly<Record<string, unknown>>

export interface DataCheck {
  /** Throws, in words that name the place and never the value, when the value does not fit. */
  (value: unknown): void
  /** Compiles it, which its first use does else. */
  readonly prepare: () => void
}

interface PersonalEntry extends Required<Pick<PersonalDefinition, 'subject' | 'also'>> {
  readonly field: string
  readonly optional: boolean
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

/** The entries by type. */
export function buildEventTable(
  definitionsByArea: Readonly<Record<string, EventDefinitions>>,
): ReadonlyMap<string, EventTypeEntry> {
  const checker = createSchemaChecker()
  const buildEntry = (area: string, type: string, definition: EventDefinition): EventTypeEntry => {
    const { upcasters = [] } = definition
    return {
      type,
      area,
      version: upcasters.length + 1,
      upcasters,
      personal: Object.entries(definition.personal).map(([field, one]) => ({
        field,
        optional: one.optional ?? false,
        subject: one.subject,
        also: one.also ?? (() => []),
        check: checker(one.schema, field),
      })),
      checkRecorded: checker(recordedSchema(definition), 'data'),
    }
  }
  const entries = Object.entries(definitionsByArea).flatMap(([area, definitions]) =>
    Object.entries(definitions).map(
      ([type, definition]) => [type, buildEntry(area, type, definition)] as const,
    ),
  )
  return new Map(entries)
}

/** Makes checks out of schemas; each is compiled at its first use, since no process uses all of them at once. */
export function createSchemaChecker(): (schema: Schema, name: string) => DataCheck {
  const ajv = new Ajv({
    strict: true,
    discriminator: true,
    allowUnionTypes: true,
    // the schemas only ask whether a text is empty, for which its characters need not be counted one by one; ajv warns
    // of this option, and a logger would be told nothing else
    unicode: false,
    logger: false,
    schemas: [expressionSchema],
  })
  return (schema, name) => {
    let validate: ValidateFunction | undefined
    const prepare = (): void => {
      validate ??= ajv.compile(schema)
    }
    const check = (value: unknown): void => {
      validate ??= ajv.compile(schema)
      if (!validate(value)) throw new Error(ajv.errorsText(validate.errors, { dataVar: name }))
    }
    return Object.assign(check, { prepare })
  }
}

/** Compiles every check, one at each step: some take as long as fifty milliseconds. */
export function* prepareChecks(table: ReadonlyMap<string, EventTypeEntry>): Steps<void> {
  for (const { checkRecorded, personal } of table.values()) {
    for (const { prepare } of [checkRecorded, ...personal.map(({ check }) => check)]) {
      prepare()
      yield
    }
  }
}

function recordedSchema({ schema, personal }: EventDefinition): Schema {
  const fields = Object.entries(personal)
  const boxes = fields.map(([field]) => [field, sealedValueSchema] as const)
  const required = fields.filter(([, { optional }]) => !optional).map(([field]) => field)
  return {
    ...schema,
    properties: { ...schema.properties, ...Object.fromEntries(boxes) },
    required: [...schema.required, ...required],
  }
}
