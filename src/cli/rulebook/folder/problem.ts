/** Declares folder problems, and ends a command with a `usage` error that lists them. */

import type { Body, Client } from '../../connecting/client.ts'
import { listAll } from '../../connecting/pagination.ts'
import { usageError } from '../../terminal/cliError.ts'
import type { Progress } from '../../terminal/screen.ts'
import type { ByKind } from './readFolder.ts'
import { type Kind, kindFacts } from './resourceFile.ts'

export interface FolderProblem {
  /** The file within the folder. */
  readonly path: string
  /** Where in the file, both from 1; absent for what is wrong with the file as a whole. */
  readonly line?: number
  readonly column?: number
  /** How many characters are at fault, where that is known. */
  readonly length?: number
  readonly message: string
}

/** Formats the problem like a compiler: `rules/a.yaml:3:7: …`. */
export function problemLine(problem: FolderProblem): string {
  const { path, message } = placed(problem)
  return `${path}: ${message}`
}

/** The problem with line and column appended to its path. */
export function placed({ path, line, column, message }: FolderProblem) {
  return { path: line === undefined ? path : `${path}:${line}:${column}`, message }
}

/** File texts by name, for the source excerpts below problems. */
export type Texts = Readonly<Record<string, string>>

/** Throws `usage` if there are problems, with all of them as `details` and an optional `hint`. */
export function refuseProblems(
  problems: readonly FolderProblem[],
  { texts = {}, hint }: { readonly texts?: Texts; readonly hint?: string | undefined } = {},
): void {
  if (problems.length === 0) return
  const facts = { details: problems, ...(hint !== undefined && { hint }) }
  throw Object.assign(usageError('The folder is not in order.', facts), { sent: texts })
}

/** Runs file access; system errors become `usage` errors. */
export function onDisk<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (thrown) {
    throw isRefusal(thrown) ? usageError(`${thrown.message}.`) : thrown
  }
}

interface Report {
  /** What is read, within the folder. */
  readonly path: string
  readonly problems: FolderProblem[]
}

/** Runs file access; system errors are added to the problems, and undefined is returned. */
export function reportOnDisk<Result>(
  { path, problems }: Report,
  work: () => Result,
): Result | undefined {
  try {
    return work()
  } catch (thrown) {
    if (!isRefusal(thrown)) throw thrown
    problems.push({ path, message: `${thrown.message}.` })
    return undefined
  }
}

function isRefusal(thrown: unknown): thrown is Error {
  return thrown instanceof Error && 'syscall' in thrown
}

/** A list, rule, recipe or flow as the service returns it. */
export interface View extends Body {
  readonly id: string
  readonly name: string
}

/** Reads all lists, rules, recipes and flows of the account. */
export async function listResources(client: Client, progress: Progress): Promise<ByKind<View>> {
  const list = async (kind: Kind): Promise<readonly View[]> => {
    const { path } = kindFacts[kind]
    const items = await listAll(client, { path, name: kind }, (count) =>
      progress.show(`reading ${kind}: ${count}`),
    )
    return items as readonly View[]
  }
  // resources are read before those they refer to, so that every reference exists
  const flows = await list('flows')
  const recipes = await list('recipes')
  const rules = await list('rules')
  const lists = await list('lists')
  progress.clear()
  return { lists, rules, recipes, flows }
}
