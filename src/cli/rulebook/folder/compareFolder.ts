/** Reads and compares a folder and the service; reports all problems that prevent a push. */

import { resolve } from 'node:path'
import type { Client } from '../../connecting/client.ts'
import type { Invocation } from '../../connecting/invocation.ts'
import { readList } from '../../connecting/pagination.ts'
import { namedResources } from '../../connecting/resourceId.ts'
import { isCliError } from '../../terminal/cliError.ts'
import { openProgress } from '../../terminal/screen.ts'
import { validateChanges } from './changeRequest.ts'
import { type FolderChange, listChanges, type ServiceResource, withAdoptedIds } from './changes.ts'
import {
  listDanglingReferences,
  listPinsOfNewRules,
  listReferences,
  problemAt,
} from './checkReferences.ts'
import { type FileTexts, type FolderProblem, folderError } from './folderProblem.ts'
import { assertRulebook, type RulebookFolder, readFolder } from './readFolder.ts'
import {
  buildSlugTranslator,
  type FolderKind,
  fileName,
  folderKinds,
  type ResourceFile,
} from './resourceFile.ts'

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
 * Reads the folder and compares it with the service. Throws `usage` with all problems in files and between them; readable files are
 * still checked by the service, so that their errors are reported as well.
 */
export async function compareFolder(
  invocation: Invocation,
  dir: string,
): Promise<FolderComparison> {
  const folder = resolve(dir)
  assertRulebook(folder)
  const read = readFolder(folder)
  const { files } = read
  const problems = [
    ...read.problems,
    ...listDanglingReferences(files, read.slugs),
    ...listPinsOfNewRules(files),
  ]
  if (problems.length === 0) return compare(invocation, folder, read)
  const checked = await compare(invocation, folder, read).then(
    (compared) => checkReadable(compared, files),
    (thrown: unknown): Checked => {
      if (!isCliError(thrown)) throw thrown
      return { found: [], texts: {}, hint: `The rules were not compiled: ${thrown.message}` }
    },
  )
  throw folderError([...problems, ...checked.found], checked)
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
      listReferences(file).map(({ path }) => placeOf(problemAt(file, path, ''))),
    ),
  )
  return {
    found: problems.filter((one) => !places.has(placeOf(one))),
    texts: compared.texts,
  }
}

function placeOf({ path, line, column }: FolderProblem): string {
  return `${path}:${line}:${column}`
}

async function compare(
  invocation: Invocation,
  folder: string,
  { files: read, missingKinds }: RulebookFolder,
): Promise<FolderComparison> {
  const client = await invocation.getClient()
  const resources = await fetchResources(invocation, client)
  const files = withAdoptedIds(read, resources)
  const rules = files.filter(({ kind }) => kind === 'rules')
  return {
    client,
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
export async function fetchResources(
  { context, flags }: Invocation,
  client: Client,
): Promise<readonly ServiceResource[]> {
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
