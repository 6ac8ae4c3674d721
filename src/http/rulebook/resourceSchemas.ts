/** Declares the input, view, page and version schemas of one resource type. */

import { optional, pageSchema, type Schema, timeText } from '../../domain/schema.ts'
import type { VersionView } from '../../queries/rulebook/resources.ts'
import { type Fields, inputSchema, viewSchema } from '../request/schema/fields.ts'
import { warningsMember } from '../request/schema/schema.ts'
import type { Warned } from './routedResource.ts'

export interface ResourceSchemas {
  readonly input: Schema
  readonly view: Schema
  /** The response to a save. */
  readonly saved: Schema
  readonly page: Schema
  readonly versions: Schema
}

interface Described<Input, View> {
  readonly title: string
  /** Under which a page lists them. */
  readonly plural: string
  readonly input: Fields<Input>
  readonly view: Fields<View>
}

/** What every resource is answered with. */
interface Identity {
  readonly id: string
  readonly version_id: string
}

export function resourceSchemas<Input extends object, View extends Identity>({
  title,
  plural,
  input,
  view,
}: Described<Input, View>): ResourceSchemas {
  const viewed = viewSchema<View>(title, view)
  return {
    input: inputSchema<Input>(`${title}Input`, input),
    view: viewed,
    saved: viewSchema<Warned>(`Saved${title}`, { ...view, warnings: warningsMember }),
    page: pageSchema(`${title}Page`, plural, viewed),
    versions: versionPage(title, view),
  }
}

const changes = Object.keys({
  created: true,
  restored: true,
  status_set: true,
  deleted: true,
} satisfies Record<VersionView['change'], true>)

const changedBy: Schema = {
  type: 'string',
  description: 'Id of the token, operator, or service for what ships with the product.',
}

const versionFacts = {
  change: {
    type: 'string',
    enum: changes,
    description:
      'What became of it: a version was created or restored, its status set, or it was deleted.',
  },
  changed_at: timeText,
  changed_by: changedBy,
  version_id: {
    type: 'string',
    description:
      'The version that stood from this change on; of a deletion, the one that was deleted.',
  },
  created_at: { ...timeText, description: 'When the version was created; ISO 8601 UTC.' },
  created_by: changedBy,
  restored_at: optional({
    type: 'string',
    description: 'When the version was last made current again.',
  }),
  restored_by: optional({ type: 'string' }),
  current: { type: 'boolean', description: 'Whether the version is the one that counts now.' },
} satisfies Fields<Omit<VersionView, 'status'>>

/** What became of one of them: the facts of each change beside what the version says. */
function versionPage<View extends Identity>(title: string, view: Fields<View>): Schema {
  const { id: _, version_id: __, status, ...content } = { status: undefined, ...view }
  const fields = { ...versionFacts, ...content }
  const version = status
    ? viewSchema<VersionView>(`${title}Version`, { ...fields, status: statusSince(status) })
    : viewSchema<Omit<VersionView, 'status'>>(`${title}Version`, fields)
  return pageSchema(`${title}VersionPage`, 'versions', version)
}

function statusSince(status: Schema) {
  const description = 'Its status from this change on; absent from a deletion.'
  return optional({ ...status, description })
}
