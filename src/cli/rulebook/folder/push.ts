/** Pushes folder changes to the service, in one write where possible, and saves new ids. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonObject } from '../../connecting/client.ts'
import {
  type CliError,
  createCliError,
  exitCodes,
  interruptedError,
  isCliError,
} from '../../terminal/cliError.ts'
import {
  buildChangeRequest,
  type ChangeRequest,
  changesPath,
  isRefusedAsTooLarge,
  isRequestTooLarge,
  locateProblems,
} from './changeRequest.ts'
import { type FolderChange, hasOwnId } from './changes.ts'
import type { FolderComparison } from './compareFolder.ts'
import type { FolderProblem } from './folderProblem.ts'
import { type FolderKind, folderKinds, insertId, writeFileAtomically } from './resourceFile.ts'

export interface PushContext extends Pick<FolderComparison, 'client' | 'folder' | 'ids'> {
  readonly interrupted: AbortSignal
  /** Called for each change once the service has it. */
  readonly onDone: (change: FolderChange, id: string | undefined) => void
}

/** Orders the steps of a push: resources before those that refer to them; deletions in reverse. */
export function orderSteps(
  changes: readonly FolderChange[],
  prune: boolean,
): readonly FolderChange[] {
  const deletions = changes.filter(({ action }) => action === 'delete')
  const backwards = folderKinds.toReversed()
  return [
    ...changes.filter(({ action }) => action === 'adopt'),
    ...changes.filter(({ action }) => action === 'create' || action === 'update'),
    ...(prune
      ? backwards.flatMap((kind) => deletions.filter((change) => change.kind === kind))
      : []),
  ]
}

/**
 * Reports a problem for each kind that a pruning push would delete although its subfolder is missing: only an empty subfolder states
 * that no resources of the kind are wanted.
 */
export function listUnconfirmedDeletions(
  changes: readonly FolderChange[],
  absent: ReadonlySet<FolderKind>,
): readonly FolderProblem[] {
  return [...absent].flatMap((kind) => {
    const count = changes.filter(
      (change) => change.action === 'delete' && change.kind === kind,
    ).length
    const message = `is not there, and --prune would delete all ${kind} of the service (${count}); make it, empty, to have none.`
    return count === 0 ? [] : [{ path: `${kind}/`, message }]
  })
}

/**
 * Executes the steps, in one write if they fit into one request. The first failing write ends it and reports whether anything was done.
 * New ids are saved in the files before the next write.
 */
export async function pushSteps(push: PushContext, steps: readonly FolderChange[]): Promise<void> {
  const adopted = steps.filter(({ action }) => action === 'adopt')
  recordIds(push, new Map(adopted.map((step) => [step, step.id ?? ''])))
  const writes = steps.slice(adopted.length)
  if (writes.length > 0) await writeSteps(push, writes, false)
}

/** Writes the steps, in halves when they are too many; `isLater`: a write before these was done. */
async function writeSteps(
  push: PushContext,
  steps: readonly FolderChange[],
  isLater: boolean,
): Promise<void> {
  if (push.interrupted.aborted) throw interruptedError()
  const request = buildChangeRequest(steps, push.ids, true)
  const ids = await send(push, request, isLater)
  if (ids) {
    recordIds(push, ids)
    return
  }
  const half = Math.ceil(steps.length / 2)
  await writeSteps(push, steps.slice(0, half), isLater)
  await writeSteps(push, steps.slice(half), true)
}

/** What was created or changed, with its id; undefined for a request that is too large and can be split. */
async function send(
  { client }: PushContext,
  request: ChangeRequest,
  isLater: boolean,
): Promise<ReadonlyMap<FolderChange, string> | undefined> {
  const canBeSplit = request.stepAt.size > 1
  if (canBeSplit && isRequestTooLarge(request)) return undefined
  try {
    const { body } = await client('POST', changesPath, { body: request.body })
    return new Map(
      [...request.stepAt].map(([path, step]) => [step, step.id ?? resolveNewId(body, path)]),
    )
  } catch (thrown) {
    if (canBeSplit && isRefusedAsTooLarge(thrown)) return undefined
    throw isCliError(thrown) ? refusedWrite(thrown, request, isLater) : thrown
  }
}

function resolveNewId(body: JsonObject, path: string): string {
  const [kind = '', index = ''] = path.split('.')
  const list = body[kind] as readonly { readonly id: string }[]
  return String(list[Number(index)]?.id)
}

/** Reports the steps as done, and writes new ids into their files. */
function recordIds(push: PushContext, done: ReadonlyMap<FolderChange, string>): void {
  for (const [step, id] of done) push.onDone(step, id)
  const unnamed = [...done].filter(([{ file }]) => file && !hasOwnId(file))
  for (const [{ kind, file }, id] of unnamed) push.ids.set(`${kind}/${file?.slug}`, id)
  const problems = unnamed.flatMap(([{ name }, id]) => saveId(push.folder, name, id) ?? [])
  if (problems.length === 0) return
  throw createCliError(
    'The ids of new resources could not be written into their files.',
    exitCodes.usage,
    { code: 'id_not_kept', details: problems },
  )
}

/** Writes the id into its file; returns the problem when that fails, with the line to write by hand. */
function saveId(folder: string, name: string, id: string): FolderProblem | undefined {
  try {
    writeFileAtomically(folder, name, insertId(readFileSync(join(folder, name), 'utf8'), id))
    return undefined
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown)
    return { path: name, message: `${reason} Write this line into it: id: ${id}` }
  }
}

/** The error to end with; `isLater`: a write before this one was done. */
function refusedWrite(error: CliError, request: ChangeRequest, isLater: boolean): CliError {
  const details = locateProblems(error.facts['details'], request)
  return createCliError(error.message, error.exitCode, {
    ...error.facts,
    ...(details && { details }),
    hint: hintOf(error, isLater),
  })
}

function hintOf({ exitCode, facts: { code, hint } }: CliError, isLater: boolean): string {
  const rest = isLater
    ? 'What is listed above as done stays done; push again to continue.'
    : 'Nothing was written; push again.'
  if (exitCode === exitCodes.unreachable || exitCode === exitCodes.interrupted) {
    return `${typeof hint === 'string' ? `${hint} ` : ''}Whether this write was done is not known: push again; what it created is found, and its id written into its file.`
  }
  return code === 'precondition_failed' ? `${rest} What has changed: vigil diff` : rest
}
