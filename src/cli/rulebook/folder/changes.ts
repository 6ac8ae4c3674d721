/** Compares the folder with the service: what a push would do. */

import { isDeepStrictEqual } from 'node:util'
import { hasOwnId, withAdoptedIds } from './adoptions.ts'
import { type Kind, kindFacts, kinds } from './kind.ts'
import type { View } from './listResources.ts'
import type { ByKind } from './readFolder.ts'
import { fieldsOfFile, fieldsOfView, slugs, type Translate } from './references.ts'
import { type Fields, fileName, type ResourceFile } from './resourceFile.ts'
import { slugOf } from './slug.ts'

/**
 * `create`: the file has no id. `update`: they differ (a file without an id then gets that of the list it names). `delete`: only the service has it. `gone`: the file has an id that the service
 * does not have. `adopt`: the file has no id, and the service has just that.
 */
export type Action = 'create' | 'update' | 'delete' | 'gone' | 'adopt'

export interface Change {
  readonly action: Action
  readonly kind: Kind
  /** The file, or what it would be called. */
  readonly name: string
  readonly id: string | undefined
  /** What the service has, as a file would say it. */
  readonly service: Fields | undefined
  readonly folder: Fields | undefined
  readonly file: ResourceFile | undefined
  readonly view: View | undefined
}

/** Every difference: what is referred to before what refers to it, within a kind by file name, deletions after the files. */
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

/** What is to be done for the file; undefined when the service says the same. */
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
