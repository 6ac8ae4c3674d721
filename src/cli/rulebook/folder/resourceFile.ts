/** Derives a resource's file name (slug) from its name. */

import type { Document } from 'yaml'
import type { Kind } from './kind.ts'

const lengthMax = 60

/** Whether the text is a valid file name for references. */
export function isSlug(text: string): boolean {
  return /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(text)
}

/** The slug of a name; `otherwise` when nothing of the name is left. */
export function slugOf(name: string, otherwise: string): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f'’]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, lengthMax)
    .replace(/^-+|-+$/g, '')
  return slug === '' ? otherwise : slug
}

/** The slug, or the first of `slug-2`, `slug-3`, … that is not taken. */
export function freeSlug(slug: string, isTaken: (slug: string) => boolean): string {
  let free = slug
  for (let number = 2; isTaken(free); number += 1) free = `${slug}-${number}`
  return free
}

/** The fields of a resource without its id, with references as in files. */
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

/** The path of the file within the folder. */
export function fileName({ kind, slug }: Pick<ResourceFile, 'kind' | 'slug'>): string {
  return `${kind}/${slug}.yaml`
}
