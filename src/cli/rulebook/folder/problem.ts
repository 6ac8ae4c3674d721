/** Declares folder problems, and ends a command with a `usage` error that lists them. */

import type { Body, Client } from '../../connecting/client.ts'
import { listAll } from '../../connecting/search.ts'
import { usageError } from '../../terminal/cliError.ts'
import type { Progress } from '../../terminal/progress.ts'
import { type Kind, kindFacts } from './kind.ts'
import type { ByKind } from './readFolder.ts'

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

/** The problem as compilers write it: `rules/a.yaml:3:7: …`. */
export function problemLine(problem: FolderProblem): string {
  const { path, message } = placed(problem)
  return `${path}: ${message}`
}

/** The same with its place in its path. */
export function placed({ path, line, column, message }: FolderProblem) {
  return { path: line === undefined ? path : `${path}:${line}:${column}`, message }
}

/** The texts of files by their names: what of them stands at a problem's place is shown below it. */
export type Texts = Readonly<Record<string, string>>

/** Throws `usage` when there are any, with all of them as `details`; `hint` says what else there is to know. */
export function refuseProblems(
  problems: readonly FolderProblem[],
  { texts = {}, hint }: { readonly texts?: Texts; readonly hint?: string | undefined } = {},
): void {
  if (problems.length === 0) return
  const facts = { details: problems, ...(hint !== undefined && { hint }) }
  throw Object.assign(usageError('The folder is not in order.', facts), { sent: texts })
}

/** Does what reads or writes files; throws `usage` for what the system refuses, with its words. */
export function onDisk<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (thrown) {
    throw isRefusal(thrown) ? usageError(`${thrown.message}.`) : thrown
  }
}

interface Place {
  /** What is read, as the folder names it. */
  readonly path: string
  readonly problems: FolderProblem[]
}

/** Does what reads files; what the system refuses is added to the problems, with its words, and undefined is returned. */
export function sayOnDisk<Result>(
  { path, problems }: Place,
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

/** A list, rule, recipe or flow as the service answers it. */
export interface View extends Body {
  readonly id: string
  readonly name: string
}

/** All lists, rules, recipes and flows of the account. */
export async function listResources(client: Client, progress: Progress): Promise<ByKind<View>> {
  const list = async (kind: Kind): Promise<readonly View[]> => {
    const { path } = kindFacts[kind]
    const items = await listAll(client, { path, name: kind }, (count) =>
      progress.show(`reading ${kind}: ${count}`),
    )
    return items as readonly View[]
  }
  // what refers is read before what it refers to, so that it is there
  const flows = await list('flows')
  const recipes = await list('recipes')
  const rules = await list('rules')
  const lists = await list('lists')
  progress.clear()
  return { lists, rules, recipes, flows }
}
