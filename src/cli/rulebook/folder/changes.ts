/** Computes the changes a push would make, by comparing files with the service. */

import { isDeepStrictEqual } from 'node:util'
import type { View } from './problem.ts'
import type { ByKind } from './readFolder.ts'
import {
  type Fields,
  fieldsOfFile,
  fieldsOfView,
  fileName,
  type Kind,
  kindFacts,
  kinds,
  type ResourceFile,
  slugOf,
  slugs,
  type Translate,
} from './resourceFile.ts'

/**
 * `create`: the file has no id. `update`: file and service differ (a list file without an id gets the id of the list of that name).
 * `delete`: only the service has it. `gone`: the service does not have the file's id. `adopt`: the file has no id, and the service has
 * an identical resource.
 */
export type Action = 'create' | 'update' | 'delete' | 'gone' | 'adopt'

export interface Change {
  readonly action: Action
  readonly kind: Kind
  /** The file, or what it would be called. */
  readonly name: string
  readonly id: string | undefined
  /** The fields of the service, in the form of a file. */
  readonly service: Fields | undefined
  readonly folder: Fields | undefined
  readonly file: ResourceFile | undefined
  readonly view: View | undefined
}

/** Lists all differences: resources before those that refer to them, by file name within a kind, deletions last. */
export function listChanges(given: ByKind<ResourceFile>, views: ByKind<View>): readonly Change[] {
  const files = withAdoptedIds(given, views)
  const slugOfId = slugs(files)
  return kinds.flatMap((kind) =>
    changesOf(kind, { files: files[kind], views: views[kind], slugOfId }),
  )
}

interface Sides {
  readonly files: readonly ResourceFile[]
  readonly views: readonly View[]
  readonly slugOfId: Translate
}

function changesOf(kind: Kind, { files, views, slugOfId }: Sides): readonly Change[] {
  const onService = new Map(views.map((view) => [view.id, view]))
  const inFolder = new Set(files.map(({ id }) => id))
  const changed = files
    .map((file) => fileChange(file, { view: onService.get(file.id ?? ''), slugOfId }))
    .filter((change) => change !== undefined)
  const removed = views
    .filter(({ id }) => !inFolder.has(id))
    .map(
      (view): Change => ({
        action: 'delete',
        kind,
        name: fileName({ kind, slug: slugOf(view.name, kindFacts[kind].noun) }),
        id: view.id,
        service: fieldsOfView(kind, view, slugOfId),
        folder: undefined,
        file: undefined,
        view,
      }),
    )
  return [...changed, ...removed]
}

interface Other {
  readonly view: View | undefined
  readonly slugOfId: Translate
}

/** The change of a file; undefined when the service has the same. */
function fileChange(file: ResourceFile, { view, slugOfId }: Other): Change | undefined {
  const { id, kind } = file
  const folder = fieldsOfFile(file, slugOfId)
  const service = view && fieldsOfView(kind, view, slugOfId)
  const change = { kind, name: fileName(file), id, service, folder, file, view }
  if (id === undefined) return { action: 'create', ...change }
  if (!service) return { action: 'gone', ...change }
  if (!isDeepStrictEqual(service, folder)) return { action: 'update', ...change }
  // an id that was not read from the file is still to be written there
  return hasOwnId(file) ? undefined : { action: 'adopt', ...change }
}

/**
 * Gives each new file the id of an unclaimed resource of the service with identical content, or of the list with its name. Resources
 * are matched before those that refer to them.
 */
export function withAdoptedIds(
  files: ByKind<ResourceFile>,
  views: ByKind<View>,
): ByKind<ResourceFile> {
  const lists = withIdsByName(files.lists, views.lists)
  const rules = adopted('rules', files, views.rules)
  const recipes = adopted('recipes', { ...files, rules }, views.recipes)
  const flows = adopted('flows', { ...files, rules, recipes }, views.flows)
  return { lists, rules, recipes, flows }
}

/** Names of lists are unique: a file without an id means the list of that name, even with other fields. */
function withIdsByName(
  files: readonly ResourceFile[],
  views: readonly View[],
): readonly ResourceFile[] {
  const claimed = new Set(files.map(({ id }) => id))
  const free = new Map(views.filter(({ id }) => !claimed.has(id)).map(({ id, name }) => [name, id]))
  return files.map((file) => {
    if (file.id !== undefined) return file
    const name = String(file.fields['name'])
    const id = free.get(name)
    // of two files of one name the second is refused as a list that is there already
    free.delete(name)
    return id === undefined ? file : { ...file, id }
  })
}

function adopted(
  kind: Kind,
  files: ByKind<ResourceFile>,
  views: readonly View[],
): readonly ResourceFile[] {
  const slugOfId = slugs(files)
  const claimed = new Set(files[kind].map(({ id }) => id))
  const free = new Map<string, View[]>()
  for (const view of views) {
    if (claimed.has(view.id)) continue
    free.set(view.name, [...(free.get(view.name) ?? []), view])
  }
  return files[kind].map((file) => {
    if (file.id !== undefined) return file
    const candidates = free.get(String(file.fields['name'])) ?? []
    const at = candidates.findIndex((view) => hasSameFields(file, view, slugOfId))
    const [found] = at < 0 ? [] : candidates.splice(at, 1)
    return found ? { ...file, id: found.id } : file
  })
}

function hasSameFields(file: ResourceFile, view: View, slugOfId: Translate): boolean {
  return isDeepStrictEqual(fieldsOfFile(file, slugOfId), fieldsOfView(file.kind, view, slugOfId))
}

/** Whether the file itself contains its id. */
export function hasOwnId({ document }: ResourceFile): boolean {
  return document.has('id')
}
