/** What one kind of resource looks like: as it is written, as it is read, and a page of them or of its versions. */

import type { VersionView } from '../../service/rulebook/versionedResource.ts'
import { type Fields, inputSchema, optional, viewSchema } from '../request/fields.ts'
import { pageSchema } from '../request/pageSchema.ts'
import { type Schema, timeText } from '../request/schema.ts'

export interface ResourceSchemas {
  readonly input: Schema
  readonly view: Schema
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
    page: pageSchema(`${title}Page`, plural, viewed),
    versions: versionPage(title, view),
  }
}

const versionFacts = {
  version_id: { type: 'string' },
  created_at: timeText,
  created_by: {
    type: 'string',
    description: 'Id of the token, operator, or service for what ships with the product.',
  },
  restored_at: optional({
    type: 'string',
    description: 'When it was last made current again.',
  }),
  restored_by: optional({ type: 'string' }),
  current: { type: 'boolean' },
} satisfies Fields<VersionView>

/** The versions of one of them: the facts of each beside what it says. */
function versionPage<View extends Identity>(title: string, view: Fields<View>): Schema {
  // a version has no status of its own
  const { id: _, version_id: __, status: ___, ...content } = { status: undefined, ...view }
  const version = viewSchema<VersionView>(`${title}Version`, { ...versionFacts, ...content })
  return pageSchema(`${title}VersionPage`, 'versions', version)
}
