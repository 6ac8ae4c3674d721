/** Compares a rulebook folder with the service; reports all problems that prevent a push. */

import { resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Client, JsonObject } from '../../connecting/client.ts'
import type { Invocation } from '../../connecting/invocation.ts'
import { readList } from '../../connecting/pagination.ts'
import { namedResources } from '../../connecting/resourceId.ts'
import { isCliError } from '../../terminal/cliError.ts'
import { openProgress } from '../../terminal/screen.ts'
import {
  createFolderError,
  createProblemAt,
  type FileTexts,
  type FolderProblem,
} from './folderProblem.ts'
import { validateChanges } from './push.ts'
import {
  assertRulebook,
  listBrokenReferences,
  listReferences,
  type RulebookFolder,
  readFolder,
} from './readFolder.ts'
import {
  buildSlug,
  buildSlugTranslator,
  convertToFileFields,
  type FolderKind,
  fileName,
  folderKinds,
  hasOwnId,
  type ResourceFields,
  type ResourceFile,
  replaceIdsBySlugs,
  type TranslateReference,
} from './resourceFile.ts'

/** A list, rule, recipe or flow, with its view as the service returns it. */
export interface ServiceResource {
  readonly kind: FolderKind
  readonly view: JsonObject & { readonly id: string; readonly name: string }
}

/**
 * `create`: the file has no id. `update`: file and service differ (a list file without an id gets the id of the list of
 * that name). `delete`: only the service has it. `gone`: the service does not have the file's id. `adopt`: the file has
 * no id, and the service has an identical resource.
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

export interface FolderComparison {
  readonly client: Client
  readonly folder: string
  readonly missingKinds: ReadonlySet<FolderKind>
  readonly changes: readonly FolderChange[]
  /** The ids of files by kind and slug, such as `rules/large-cart`, which a push adds to. */
  readonly ids: Map<string, string | undefined>
  /** The texts of rule files, for the excerpts below problems. */
  readonly texts: FileTexts
}

/**
 * Reads the folder and compares it with the service. Throws `usage` with all problems in files and between them;
 * readable files are still checked by the service, so that their errors are reported as well.
 */
export async function compareFolder(
  invocation: Invocation,
  dir: string,
): Promise<FolderComparison> {
  const folder = resolve(dir)
  assertRulebook(folder)
  const read = readFolder(folder)
  const problems = [...read.problems, ...listBrokenReferences(read)]
  if (problems.length === 0) return compareWithService(invocation, folder, read)
  const checked = await compareWithService(invocation, folder, read).then(
    (compared) => checkReadable(compared, read.files),
    (thrown: unknown): Checked => {
      if (!isCliError(thrown)) throw thrown
      return { found: [], texts: {}, hint: `The rules were not compiled: ${thrown.message}` }
    },
  )
  throw createFolderError([...problems, ...checked.found], checked)
}

interface Checked {
  readonly found: readonly FolderProblem[]
  readonly texts: FileTexts
  readonly hint?: string
}

/** The problems of the files that could be read, but for their references: those may be to files that could not. */
async function checkReadable(
  compared: FolderComparison,
  files: readonly ResourceFile[],
): Promise<Checked> {
  const { problems } = await validateChanges(compared, compared.changes.filter(isWrittenByPush))
  const places = new Set(
    files.flatMap((file) =>
      listReferences(file).map(({ path }) => formatPositionKey(createProblemAt(file, path, ''))),
    ),
  )
  return {
    found: problems.filter((one) => !places.has(formatPositionKey(one))),
    texts: compared.texts,
  }
}

function formatPositionKey({ path, line, column }: FolderProblem): string {
  return `${path}:${line}:${column}`
}

async function compareWithService(
  invocation: Invocation,
  folder: string,
  { files: read, missingKinds }: RulebookFolder,
): Promise<FolderComparison> {
  const resources = await fetchResources(invocation)
  const files = adoptIds(read, resources)
  const rules = files.filter(({ kind }) => kind === 'rules')
  return {
    client: invocation.client,
    folder,
    missingKinds,
    changes: listChanges(files, resources, buildSlugTranslator(files)),
    ids: new Map(files.map(({ kind, slug, id }) => [`${kind}/${slug}`, id])),
    texts: Object.fromEntries(rules.map((file) => [fileName(file), file.text])),
  }
}

/** Whether a push writes this change. */
export function isWrittenByPush({ action }: FolderChange): boolean {
  return action === 'create' || action === 'update'
}

/** Reads all lists, rules, recipes and flows of the account, in this order of kinds. */
export async function fetchResources({
  client,
  context,
  flags,
}: Invocation): Promise<readonly ServiceResource[]> {
  const progress = openProgress(context, flags)
  let resources: readonly ServiceResource[] = []
  // read before those they refer to, so that every reference exists
  for (const kind of folderKinds.toReversed()) {
    const listed = { path: namedResources[kind].path, name: kind }
    const { items } = await readList<ServiceResource['view']>(client, listed, (count) =>
      progress.show(`reading ${kind}: ${count}`),
    )
    resources = [...items.map((view) => ({ kind, view })), ...resources]
  }
  progress.clear()
  return resources
}

/**
 * Lists all differences: resources before those that refer to them, by file name within a kind, deletions last. The
 * files have the ids of `adoptIds`.
 */
export function listChanges(
  files: readonly ResourceFile[],
  resources: readonly ServiceResource[],
  slugOfId: TranslateReference,
): readonly FolderChange[] {
  const viewOfId = new Map(resources.map(({ view }) => [view.id, view]))
  const inFolder = new Set(files.map(({ id }) => id))
  const changes = [
    ...files.flatMap((file) => buildFileChange(file, viewOfId.get(file.id ?? ''), slugOfId) ?? []),
    ...resources
      .filter(({ view }) => !inFolder.has(view.id))
      .map((resource) => buildServiceChange(resource, slugOfId)),
  ]
  return folderKinds.flatMap((kind) => changes.filter((change) => change.kind === kind))
}

function buildServiceChange(
  { kind, view }: ServiceResource,
  slugOfId: TranslateReference,
): FolderChange {
  const { id } = view
  const known = slugOfId(kind, id)
  const slug = known === id ? buildSlug(view.name, namedResources[kind].noun) : known
  const service = convertToFileFields(kind, view, slugOfId)
  const name = fileName({ kind, slug })
  return { action: 'delete', kind, name, id, service, folder: undefined, file: undefined, view }
}

/** The change of a file; undefined when the service has the same. */
function buildFileChange(
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

/**
 * Gives each new file the id of an unclaimed resource of the service with identical content, or of the list with its
 * name. Resources are matched before those that refer to them.
 */
export function adoptIds(
  files: readonly ResourceFile[],
  resources: readonly ServiceResource[],
): readonly ResourceFile[] {
  return folderKinds.reduce((adopted, kind) => {
    const slugOfId = buildSlugTranslator(adopted)
    const claimed = new Set(adopted.map(({ id }) => id))
    const unclaimed = resources.filter((one) => one.kind === kind && !claimed.has(one.view.id))
    return adopted.map((file) => {
      if (file.kind !== kind || file.id !== undefined) return file
      const fields = replaceIdsBySlugs(file, slugOfId)
      // names of lists are unique; of two files of one name the second is refused as a list that is there already
      const at = unclaimed.findIndex(
        ({ view }) =>
          view.name === String(fields['name']) &&
          (kind === 'lists' ||
            isDeepStrictEqual(fields, convertToFileFields(kind, view, slugOfId))),
      )
      const [found] = at < 0 ? [] : unclaimed.splice(at, 1)
      return found ? { ...file, id: found.view.id } : file
    })
  }, files)
}
