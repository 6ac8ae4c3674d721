/** Declares the input, view, page and version schemas of rules, recipes and flows. */

import {
  closedObject,
  type FieldTable,
  type ObjectOf,
  openObject,
  optional,
  pageSchema,
  type Schema,
  type SchemaOf,
  text,
  timeSchema,
} from '../../domain/jsonSchema.ts'
import { warningsField } from '../../domain/warning.ts'

export interface ResourceSchemas<Input> {
  readonly input: SchemaOf<Input>
  readonly view: Schema
  /** The response to a save. */
  readonly saved: Schema
  readonly page: Schema
  readonly versions: Schema
}

/** The fields of a resource as it is sent, and as it is shown beside its id and that of its version. */
interface ResourceFields<Input, View> {
  readonly input: Input
  readonly view: View
}

/** Builds the schemas; a page lists the resources under `plural`. */
export function buildResourceSchemas<Input extends FieldTable, View extends FieldTable>(
  title: string,
  plural: string,
  { input, view }: ResourceFields<Input, View>,
): ResourceSchemas<ObjectOf<Input>> {
  const fields = { id: text, version_id: text, ...view }
  const viewed = openObject(title, fields)
  return {
    input: closedObject(`${title}Input`, input),
    view: viewed,
    saved: openObject(`Saved${title}`, { ...fields, warnings: warningsField }),
    page: pageSchema(`${title}Page`, plural, viewed),
    versions: pageSchema(`${title}VersionPage`, 'versions', buildVersionSchema(title, view)),
  }
}

const changedBy = {
  type: 'string',
  description: 'Id of the token, operator, or service for what ships with the product.',
} as const

const versionFacts = {
  change: {
    type: 'string',
    enum: ['created', 'restored', 'status_set', 'deleted'],
    description:
      'The change: a version was created or restored, the status was set, or the resource was deleted.',
  },
  changed_at: timeSchema,
  changed_by: changedBy,
  version_id: {
    type: 'string',
    description: 'The version current from this change on; for a deletion, the deleted one.',
  },
  created_at: { ...timeSchema, description: 'When the version was created; ISO 8601 UTC.' },
  created_by: changedBy,
  restored_at: optional({
    type: 'string',
    description: 'When the version was last made current again.',
  }),
  restored_by: optional({ type: 'string' }),
  current: { type: 'boolean', description: 'Whether the version is current.' },
} as const

/** One change: its facts, and beside them what the version says. */
function buildVersionSchema(title: string, { status, ...content }: FieldTable): Schema {
  const description = 'Status from this change on; absent for a deletion.'
  return openObject(`${title}Version`, {
    ...versionFacts,
    ...content,
    ...(status && { status: optional({ ...status, description } as Schema) }),
  })
}
