/** Files that have lost, or never got, the id of what the service has of them: a push was cut off before it wrote the id down. */

import { isDeepStrictEqual } from 'node:util'
import type { Kind } from './kind.ts'
import type { View } from './listResources.ts'
import type { ByKind } from './readFolder.ts'
import { fieldsOfFile, fieldsOfView, slugs, type Translate } from './references.ts'
import type { ResourceFile } from './resourceFile.ts'

/**
 * The files, each new one with the id of what the service has and no file claims, where that says exactly the same, or is a list of the
 * same name; what is referred to is looked for before what refers to it.
 */
export function withAdoptedIds(
  files: ByKind<ResourceFile>,
  views: ByKind<View>,
): ByKind<ResourceFile> {
  const lists = namesakes(files.lists, views.lists)
  const rules = adopted('rules', files, views.rules)
  const recipes = adopted('recipes', { ...files, rules }, views.recipes)
  const flows = adopted('flows', { ...files, rules, recipes }, views.flows)
  return { lists, rules, recipes, flows }
}

/** A list is known by its name, which no other has: a file without an id means the list that is called so, whatever it says of it. */
function namesakes(
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
    const namesakes = free.get(String(file.fields['name'])) ?? []
    const at = namesakes.findIndex((view) => saysTheSame(file, view, slugOfId))
    const [found] = at < 0 ? [] : namesakes.splice(at, 1)
    return found ? { ...file, id: found.id } : file
  })
}

function saysTheSame(file: ResourceFile, view: View, slugOfId: Translate): boolean {
  return isDeepStrictEqual(fieldsOfFile(file, slugOfId), fieldsOfView(file.kind, view, slugOfId))
}

/** Whether its id was read from it. */
export function hasOwnId({ document }: ResourceFile): boolean {
  return document.has('id')
}
