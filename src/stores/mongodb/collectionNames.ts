/** Names collections in MongoDB: `evaluations_v2`, and `evaluations_v2_r2` once it was rebuilt. */

import type { Collection } from '../readStore.ts'

const namePattern = /^[a-z][a-z_]{0,59}$/
const ownPattern = /^(?<key>[a-z][a-z_]*_v\d+)(?:_r(?<generation>\d+))?$/

/** The name of a version of a collection, as long as it was never dropped. Throws when it could not be one. */
export function collectionKey({ name, version }: Pick<Collection, 'name' | 'version'>): string {
  if (!namePattern.test(name)) throw new Error(`not the name of a collection: ${name}`)
  if (!Number.isSafeInteger(version) || version < 1) {
    throw new Error(`the version of collection ${name} must be a whole number from 1 on`)
  }
  return `${name}_v${version}`
}

/** The name of the collection in its so-manieth making. */
export function physicalName(key: string, generation: number): string {
  return generation === 1 ? key : `${key}_r${generation}`
}

/** Which making of which collection has this name; undefined for a name that is not of this kind. */
export function makingOf(
  name: string,
): { readonly key: string; readonly generation: number } | undefined {
  const { key, generation = '1' } = ownPattern.exec(name)?.groups ?? {}
  return key === undefined ? undefined : { key, generation: Number(generation) }
}
