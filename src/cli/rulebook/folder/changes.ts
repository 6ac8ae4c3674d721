/** Computes the changes between files and the service; matches files to unclaimed resources. */

import { isDeepStrictEqual } from 'node:util'
import type { JsonObject } from '../../connecting/client.ts'
import { namedResources } from '../../connecting/resourceId.ts'
import {
  buildSlugTranslator,
  convertToFileFields,
  type FolderKind,
  fileName,
  folderKinds,
  type ResourceFields,
  type ResourceFile,
  replaceIdsBySlugs,
  slugOf,
  type TranslateReference,
} from './resourceFile.ts'

/** A list, rule, recipe or flow, with its view as the service returns it. */
export interface ServiceResource {
  readonly kind: FolderKind
  readonly view: JsonObject & { readonly id: string; readonly name: string }
}

/**
 * `create`: the file has no id. `update`: file and service differ (a list file without an id gets the id of the list of that name).
 * `delete`: only the service has it. `gone`: the service does not have the file's id. `adopt`: the file has no id, and the service has
 * an identical resource.
 */
export type Action = 'create' | 'update' | 'delete' | 'gone' | 'adopt'

export interface FolderChange {
  readonly action: Action
  readonly kind: FolderKind
  /** The file, or what it would be called. */
  readonly name: string
  readonly id: string | undefined
  /** The fields of the service, in the form of a file. */
  readonly service: ResourceFields | undefined
  readonly folder: ResourceFields | undefined
  readonly file: ResourceFile | undefined
  readonly view: ServiceResource['view'] | undefined
}

/**
 * Lists all differences: resources before those that refer to them, by file name within a kind, deletions last. The files have the ids
 * of `withAdoptedIds`.
 */
export function listChanges(
  files: readonly ResourceFile[],
  resources: readonly ServiceResource[],
  slugOfId: TranslateReference,
): readonly FolderChange[] {
  const viewOfId = new Map(resources.map(({ view }) => [view.id, view]))
  const inFolder = new Set(files.map(({ id }) => id))
  const changes = [
    ...files.flatMap((file) => fileChange(file, viewOfId.get(file.id ?? ''), slugOfId) ?? []),
    ...resources
      .filter(({ view }) => !inFolder.has(view.id))
      .map((resource) => serviceChange(resource, slugOfId)),
  ]
  return folderKinds.flatMap((kind) => changes.filter((change) => change.kind === kind))
}

function serviceChange(
  { kind, view }: ServiceResource,
  slugOfId: TranslateReference,
): FolderChange {
  const { id } = view
  const known = slugOfId(kind, id)
  const slug = known === id ? slugOf(view.name, namedResources[kind].noun) : known
  const service = convertToFileFields(kind, view, slugOfId)
  const name = fileName({ kind, slug })
  return { action: 'delete', kind, name, id, service, folder: undefined, file: undefined, view }
}

/** The change of a file; undefined when the service has the same. */
function fileChange(
  file: ResourceFile,
  view: FolderChange['view'],
  slugOfId: TranslateReference,
): FolderChange | undefined {
  const { id, kind } = file
  const folder = replaceIdsBySlugs(file, slugOfId)
  const service = view && convertToFileFields(kind, view, slugOfId)
  const change = { kind, name: fileName(file), id, service, folder, file, view }
  if (id === undefined) return { action: 'create', ...change }
  if (!service) return { action: 'gone', ...change }
  if (!isDeepStrictEqual(service, folder)) return { action: 'update', ...change }
  // an id that was not read from the file is still to be written there
  return hasOwnId(file) ? undefined : { action: 'adopt', ...change }
}

/** Whether the file itself contains its id. */
export function hasOwnId({ document }: ResourceFile): boolean {
  return document.has('id')
}

/**
 * Gives each new file the id of an unclaimed resource of the service with identical content, or of the list with its name. Resources
 * are matched before those that refer to them.
 */
export function withAdoptedIds(
  files: readonly ResourceFile[],
  resources: readonly ServiceResource[],
): readonly ResourceFile[] {
  return folderKinds.reduce((adopted, kind) => {
    const ofKind = resources.filter((resource) => resource.kind === kind)
    return adoptIds(kind, adopted, ofKind)
  }, files)
}

function adoptIds(
  kind: FolderKind,
  files: readonly ResourceFile[],
  resources: readonly ServiceResource[],
): readonly ResourceFile[] {
  const slugOfId = buildSlugTranslator(files)
  const claimed = new Set(files.map(({ id }) => id))
  const unclaimed = resources.filter(({ view }) => !claimed.has(view.id))
  return files.map((file) => {
    if (file.kind !== kind || file.id !== undefined) return file
    const fields = replaceIdsBySlugs(file, slugOfId)
    // names of lists are unique; of two files of one name the second is refused as a list that is there already
    const at = unclaimed.findIndex(
      ({ view }) =>
        view.name === String(fields['name']) &&
        (kind === 'lists' || isDeepStrictEqual(fields, convertToFileFields(kind, view, slugOfId))),
    )
    const [found] = at < 0 ? [] : unclaimed.splice(at, 1)
    return found ? { ...file, id: found.view.id } : file
  })
}
