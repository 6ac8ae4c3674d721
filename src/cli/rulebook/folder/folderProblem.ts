/** Declares and formats problems of a rulebook folder, and the `usage` error that lists them. */

import { type CliError, usageError } from '../../terminal/cliError.ts'

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
  const { path, message } = withPosition(problem)
  return `${path}: ${message}`
}

/** The problem with line and column appended to its path. */
export function withPosition({ path, line, column, message }: FolderProblem) {
  return { path: line === undefined ? path : `${path}:${line}:${column}`, message }
}

/** File texts by name, for the source excerpts below problems. */
export type FileTexts = Readonly<Record<string, string>>

interface Beside {
  readonly texts?: FileTexts
  readonly hint?: string
}

/** The `usage` error with all problems as `details` and an optional `hint`. */
export function folderError(
  problems: readonly FolderProblem[],
  { texts = {}, hint }: Beside = {},
): CliError {
  const facts = { details: problems, ...(hint !== undefined && { hint }) }
  return Object.assign(usageError('The folder is not in order.', facts), { sent: texts })
}

/** Throws this error if there are problems. */
export function assertNoProblems(problems: readonly FolderProblem[], texts: FileTexts = {}): void {
  if (problems.length > 0) throw folderError(problems, { texts })
}
