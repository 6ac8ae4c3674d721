/** One rule, recipe or flow as a YAML file of the folder. */

import type { Document } from 'yaml'
import type { Kind } from './kind.ts'

/** What a resource says of itself, references written as files know them; without its id. */
export type Fields = Readonly<Record<string, unknown>>

export interface ResourceFile {
  readonly kind: Kind
  /** The file's name without `.yaml`, by which other files refer to it. */
  readonly slug: string
  readonly text: string
  readonly document: Document
  /** Absent until the service has given one. */
  readonly id: string | undefined
  readonly fields: Fields
}

/** Where it lies, seen from the folder. */
export function fileName({ kind, slug }: Pick<ResourceFile, 'kind' | 'slug'>): string {
  return `${kind}/${slug}.yaml`
}
