/** Computes the changes between files and the service; matches files to unclaimed resources. */

import { isDeepStrictEqual } from 'node:util'
import type { JsonObject } from '../../connecting/client.ts'
import { namedResources } from '../../connecting/resourceId.ts'
import type { ByKind } from './readFolder.ts'
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

/** A list, rule, recipe or flow as the service returns it. */
export interface ServiceResource extends JsonObject {
  readonly id: string
  readonly name: string
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
  readonly view: ServiceResource | undefined
}

/**
 * Lists all differences: resources before those that refer to them, by file name within a kind, deletions last. The files have the ids
 * of `withAdoptedIds`.
 */
export function listChanges(
  files: ByKind<ResourceFile>,
  views: ByKind<ServiceResource>,
  slugOfId: TranslateReference,
): readonly FolderChange[] {
  return folderKinds.flatMap((kind) => {
    const onService = new Map(views[kind].map((view) => [view.id, view]))
    const inFolder = new Set(files[kind].map(({ id }) => id))
    return [
      ...files[kind].flatMap(
        (file) => fileChange(file, onService.get(file.id ?? ''), slugOfId) ?? [],
      ),
      ...views[kind]
        .filter(({ id }) => !inFolder.has(id))
        .map((view) => serviceChange(kind, view, slugOfId)),
    ]
  })
}

function serviceChange(
  kind: FolderKind,
  view: ServiceResource,
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
  view: ServiceResource | undefined,
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
  files: ByKind<ResourceFile>,
  views: ByKind<ServiceResource>,
): ByKind<ResourceFile> {
  const adopted = { ...files }
  for (const kind of folderKinds) adopted[kind] = adoptIds(kind, adopted, views[kind])
  return adopted
}

function adoptIds(
  kind: FolderKind,
  files: ByKind<ResourceFile>,
  views: readonly ServiceResource[],
): readonly ResourceFile[] {
  const slugOfId = buildSlugTranslator(files)
  const claimed = new Set(files[kind].map(({ id }) => id))
  const unclaimed = new Map<string, ServiceResource[]>()
  for (const view of views) {
    if (claimed.has(view.id)) continue
    unclaimed.set(view.name, [...(unclaimed.get(view.name) ?? []), view])
  }
  return files[kind].map((file) => {
    if (file.id !== undefined) return file
    const candidates = unclaimed.get(String(file.fields['name'])) ?? []
    // names of lists are unique; of two files of one name the second is refused as a list that is there already
    const at = candidates.findIndex(
      (view) => kind === 'lists' || hasSameFields(file, view, slugOfId),
    )
    const [found] = at < 0 ? [] : candidates.splice(at, 1)
    return found ? { ...file, id: found.id } : file
  })
}

function hasSameFields(
  file: ResourceFile,
  view: ServiceResource,
  slugOfId: TranslateReference,
): boolean {
  return isDeepStrictEqual(
    replaceIdsBySlugs(file, slugOfId),
    convertToFileFields(file.kind, view, slugOfId),
  )
}
