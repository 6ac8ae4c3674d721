/** Makes a folder say what the service has. */

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { makeFolder } from '../../terminal/makeFolder.ts'
import { hasOwnId, withAdoptedIds } from './adoptions.ts'
import { insertId } from './insertId.ts'
import { eachKind, type Kind, kindFacts, kinds } from './kind.ts'
import type { View } from './listResources.ts'
import type { ByKind } from './readFolder.ts'
import { fieldsOfFile, fieldsOfView, slugs, type Translate } from './references.ts'
import { renderResource } from './renderResource.ts'
import { fileName, type ResourceFile } from './resourceFile.ts'
import { reviseResource } from './reviseResource.ts'
import { freeSlug, slugOf } from './slug.ts'
import { writeFile } from './writeFile.ts'

/** What became of a file. `unknown`: the service has no such resource (any more), and the file stays. */
export interface Pulled {
  readonly action: 'written' | 'changed' | 'removed' | 'unknown'
  readonly file: string
  readonly id: string | undefined
}

interface Place {
  readonly folder: string
  /** Whether files go whose id the service does not have any more. */
  readonly prune: boolean
}

/** Writes what is new and what differs, and leaves every other file as it is, to the byte. Each kind gets its place, also an empty one. */
export function pullResources(
  { folder, prune }: Place,
  given: ByKind<ResourceFile>,
  views: ByKind<View>,
): readonly Pulled[] {
  const files = withAdoptedIds(given, views)
  const names = eachKind((kind) => namesOf(kind, files, views))
  const slugOfId = slugs(names)
  for (const kind of kinds) makeFolder(join(folder, kind))
  const written = kinds.flatMap((kind) => {
    const byId = new Map(files[kind].map((file) => [file.id, file]))
    const slugById = new Map(names[kind].map(({ id, slug }) => [id, slug]))
    return views[kind].flatMap((view): readonly Pulled[] => {
      const file = byId.get(view.id)
      const text = textOf(kind, { view, file, slugOfId })
      if (text === undefined) return []
      const name = fileName({ kind, slug: slugById.get(view.id) ?? view.id })
      writeFile(folder, name, text)
      return [{ action: file ? 'changed' : 'written', file: name, id: view.id }]
    })
  })
  return [...written, ...leftOver(files, views).map((file) => remove(file, { folder, prune }))]
}

interface Named {
  readonly id: string | undefined
  readonly slug: string
}

/** The name of every file, those that are there and those that are to be written. */
function namesOf(kind: Kind, files: ByKind<ResourceFile>, views: ByKind<View>): readonly Named[] {
  const known = new Set(files[kind].map(({ id }) => id))
  const taken = new Set(files[kind].map(({ slug }) => slug))
  const fresh = views[kind]
    .filter(({ id }) => !known.has(id))
    .map(({ id, name }) => {
      const slug = freeSlug(slugOf(name, kindFacts[kind].noun), (text) => taken.has(text))
      taken.add(slug)
      return { id, slug }
    })
  return [...files[kind], ...fresh]
}

interface Sides {
  readonly view: View
  readonly file: ResourceFile | undefined
  readonly slugOfId: Translate
}

/** What the file should hold; undefined when it says so already. */
function textOf(kind: Kind, { view, file, slugOfId }: Sides): string | undefined {
  const wanted = fieldsOfView(kind, view, slugOfId)
  if (!file) return renderResource(wanted, view.id)
  if (isDeepStrictEqual(fieldsOfFile(file, slugOfId), wanted)) {
    return hasOwnId(file) ? undefined : insertId(file.text, view.id)
  }
  const text = reviseResource(file, wanted)
  return hasOwnId(file) ? text : insertId(text, view.id)
}

function leftOver(files: ByKind<ResourceFile>, views: ByKind<View>): readonly ResourceFile[] {
  return kinds.flatMap((kind) => {
    const known = new Set<string | undefined>(views[kind].map(({ id }) => id))
    return files[kind].filter(({ id }) => !known.has(id))
  })
}

/** A file without an id is work that has not been pushed, and stays. */
function remove(file: ResourceFile, { folder, prune }: Place): Pulled {
  const name = fileName(file)
  if (!prune || file.id === undefined) return { action: 'unknown', file: name, id: file.id }
  rmSync(join(folder, name), { force: true })
  return { action: 'removed', file: name, id: file.id }
}
