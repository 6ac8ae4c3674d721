/** Compares a folder with the service, and reports every problem that prevents a push. */

import { resolve } from 'node:path'
import type { Client } from '../connecting/client.ts'
import type { Invocation } from '../connecting/invocation.ts'
import { isCliError } from '../terminal/cliError.ts'
import { openProgress } from '../terminal/screen.ts'
import { validateChanges } from './folder/changeRequest.ts'
import { type Change, listChanges } from './folder/changes.ts'
import { danglingReferences, unknownPins } from './folder/fileChecks.ts'
import { type FolderProblem, listResources, refuseProblems, type Texts } from './folder/problem.ts'
import { assertRulebook, type ByKind, type Folder, readFolder } from './folder/readFolder.ts'
import {
  eachKind,
  fileName,
  type Kind,
  type ResourceFile,
  type Translate,
} from './folder/resourceFile.ts'

export interface Compared {
  readonly client: Client
  readonly folder: string
  readonly absent: ReadonlySet<Kind>
  readonly changes: readonly Change[]
  /** The id of a file's name, where it has one; anything else as it is. */
  readonly idOfSlug: Translate
  /** The texts of rule files, for the excerpts below problems. */
  readonly texts: Texts
}

/**
 * Reads the folder and compares it with the service. Throws `usage` with all problems in files and between them; readable rules are
 * still compiled by the service, so that their errors are reported as well.
 */
export async function compareFolder(invocation: Invocation, dir: string): Promise<Compared> {
  const folder = resolve(dir)
  assertRulebook(folder)
  const read = readFolder(folder)
  const { outlines, slugs } = read
  const problems = [
    ...read.problems,
    ...danglingReferences(outlines, slugs),
    ...unknownPins(outlines),
  ]
  if (problems.length > 0) return refuseFolder(invocation, { folder, read, problems })
  return compare(invocation, folder, read)
}

async function compare(
  { client, context, flags }: Invocation,
  folder: string,
  { files, absent }: Folder,
): Promise<Compared> {
  const connected = await client()
  const views = await listResources(connected, openProgress(context, flags))
  const changes = listChanges(files, views)
  const texts = Object.fromEntries(files.rules.map((file) => [fileName(file), file.text]))
  return { client: connected, folder, absent, changes, idOfSlug: idsOf(files, changes), texts }
}

/** The id of the file with that name, also of one that has just got it. */
function idsOf(files: ByKind<ResourceFile>, changes: readonly Change[]): Translate {
  const ids = (kind: Kind): ReadonlyMap<string, string | undefined> =>
    new Map([
      ...files[kind].map(({ slug, id }) => [slug, id] as const),
      ...changes
        .filter((change) => change.kind === kind && change.action === 'adopt')
        .map(({ file, id }) => [file?.slug ?? '', id] as const),
    ])
  const known = eachKind(ids)
  return (kind, slug) => known[kind].get(slug) ?? slug
}

interface Refused {
  readonly folder: string
  readonly read: Folder
  readonly problems: readonly FolderProblem[]
}

/** Reports the problems of the files, and those that the service finds in the rules, if it can be reached. */
async function refuseFolder(
  invocation: Invocation,
  { folder, read, problems }: Refused,
): Promise<never> {
  const { found, texts, hint } = await compileRules(invocation, folder, read).catch(
    (thrown: unknown) => {
      if (!isCliError(thrown)) throw thrown
      return { found: [], texts: {}, hint: `The rules were not compiled: ${thrown.message}` }
    },
  )
  refuseProblems([...problems, ...found], { texts, hint })
  throw new Error('a folder was refused without a problem')
}

async function compileRules(invocation: Invocation, folder: string, read: Folder) {
  const { client, changes, idOfSlug, texts } = await compare(invocation, folder, read)
  // with the lists that they may ask
  const readable = changes
    .filter(({ kind }) => kind === 'lists' || kind === 'rules')
    .filter(isWritten)
  const { problems: found } = await validateChanges({ client, idOfSlug }, readable)
  return { found, texts, hint: undefined }
}

/** Whether a push writes this change. */
export function isWritten({ action }: Change): boolean {
  return action === 'create' || action === 'update'
}
