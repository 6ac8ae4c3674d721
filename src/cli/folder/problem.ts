/** What is wrong with a folder, and how that ends a command. */

import { usageError } from '../cliError.ts'

export interface FolderProblem {
  /** The file within the folder. */
  readonly path: string
  /** Where in the file, both from 1; absent for what is wrong with the file as a whole. */
  readonly line?: number
  readonly column?: number
  readonly message: string
}

const problemsShown = 50

/** The problem as compilers write it: `rules/a.yaml:3:7: …`. */
export function problemLine({ path, line, column, message }: FolderProblem): string {
  return line === undefined ? `${path}: ${message}` : `${path}:${line}:${column}: ${message}`
}

/** Throws `usage` when there are any, with a line for each of the first and all of them as `details`. */
export function refuseProblems(problems: readonly FolderProblem[]): void {
  if (problems.length === 0) return
  const more = problems.length - problemsShown
  const lines = [
    ...problems.slice(0, problemsShown).map(problemLine),
    ...(more > 0 ? [`and ${more} more`] : []),
  ]
  throw usageError(`The folder is not in order.\n  ${lines.join('\n  ')}`, { details: problems })
}

/** Does what reads or writes files; throws `usage` for what the system refuses, with its words. */
export function onDisk<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (thrown) {
    if (thrown instanceof Error && 'syscall' in thrown) throw usageError(`${thrown.message}.`)
    throw thrown
  }
}
