/** Pushes folder changes to the service, in one write where possible, and saves new ids. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Body, Client } from '../../connecting/client.ts'
import { segment } from '../../connecting/invocation.ts'
import {
  type CliError,
  cliError,
  exitCodes,
  interruptedError,
  isCliError,
} from '../../terminal/cliError.ts'
import {
  type ChangeRequest,
  changeRequest,
  changesPath,
  complaintsOf,
  isTooLarge,
  isTooLargeFor,
} from './changeRequest.ts'
import { type Change, hasOwnId } from './changes.ts'
import { type Complaint, located } from './locate.ts'
import type { FolderProblem } from './problem.ts'
import { insertId, type Kind, kindFacts, kinds, type Translate, writeFile } from './resourceFile.ts'

export interface Push {
  readonly client: Client
  readonly folder: string
  /** The id of a file's name, where it has one; anything else as it is. */
  readonly idOfSlug: Translate
  readonly interrupted: AbortSignal
  /** Called for each change once the service has it. */
  readonly onDone: (change: Change, id: string | undefined) => void
}

/** Orders the steps of a push: resources before those that refer to them; deletions in reverse. */
export function stepsOf(changes: readonly Change[], prune: boolean): readonly Change[] {
  const deletions = changes.filter(({ action }) => action === 'delete')
  const backwards = [...kinds].reverse()
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
export function unconfirmedDeletions(
  changes: readonly Change[],
  absent: ReadonlySet<Kind>,
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
export async function pushSteps(push: Push, steps: readonly Change[]): Promise<void> {
  const adopted = steps.filter(({ action }) => action === 'adopt')
  for (const step of adopted) push.onDone(step, step.id)
  saveIds(
    push.folder,
    adopted.map((step) => ({ step, id: step.id ?? '' })),
  )
  const writes = steps.slice(adopted.length)
  const tags = await currentTags(push, writes)
  const made = new Map<string, string>()
  const idOfSlug: Translate = (kind, slug) =>
    made.get(`${kind}/${slug}`) ?? push.idOfSlug(kind, slug)
  let size = writes.length
  for (let from = 0; from < writes.length; ) {
    if (push.interrupted.aborted) throw interruptedError()
    const request = changeRequest(writes.slice(from, from + size), { idOfSlug, tags })
    const ids = await written(push.client, request, from > 0)
    if (ids) {
      recordIds(push, ids, made)
      from += size
    } else {
      size = Math.ceil(size / 2)
    }
  }
}

/** The entity tags of everything to be changed. Throws when something has changed since the comparison. */
async function currentTags(
  { client, interrupted }: Push,
  steps: readonly Change[],
): Promise<ReadonlyMap<Change, string>> {
  const tags = new Map<Change, string>()
  for (const step of steps) {
    if (interrupted.aborted) throw interruptedError()
    if (step.id === undefined) continue
    const { body, etag } = await client('GET', `${kindFacts[step.kind].path}/${segment(step.id)}`)
    if (!isDeepStrictEqual(body, step.view)) throw changedSince(step)
    if (etag !== undefined) tags.set(step, etag)
  }
  return tags
}

function changedSince({ name }: Change): Error {
  return cliError(
    `${name} was changed on the service since the push began; nothing was written.`,
    exitCodes.refused,
    { code: 'changed_meanwhile', file: name, hint: 'Look at it with: vigil diff' },
  )
}

/** What was created or changed, with its id; undefined for a request that is too large and can be split. */
async function written(
  client: Client,
  request: ChangeRequest,
  isLater: boolean,
): Promise<ReadonlyMap<Change, string> | undefined> {
  const canBeSplit = request.stepAt.size > 1
  if (canBeSplit && isTooLarge(request)) return undefined
  try {
    const { body } = await client('POST', changesPath, { body: request.body })
    return new Map([...request.stepAt].map(([path, step]) => [step, step.id ?? idAt(body, path)]))
  } catch (thrown) {
    if (canBeSplit && isTooLargeFor(thrown)) return undefined
    throw refusedWrite(thrown, request, isLater)
  }
}

function idAt(body: Body, path: string): string {
  const [kind = '', index = ''] = path.split('.')
  const list = body[kind]
  const entry: unknown = Array.isArray(list) ? list[Number(index)] : undefined
  return String(typeof entry === 'object' && entry !== null ? Reflect.get(entry, 'id') : entry)
}

function recordIds(
  { folder, onDone }: Push,
  ids: ReadonlyMap<Change, string>,
  made: Map<string, string>,
): void {
  for (const [step, id] of ids) onDone(step, id)
  const unnamed = [...ids]
    .map(([step, id]) => ({ step, id }))
    .filter(({ step: { file } }) => file && !hasOwnId(file))
  for (const { step, id } of unnamed) made.set(`${step.kind}/${step.file?.slug}`, id)
  saveIds(folder, unnamed)
}

interface Made {
  readonly step: Change
  readonly id: string
}

/** Writes the ids into their files; throws with a detail for each that fails, and the line to write by hand. */
function saveIds(folder: string, made: readonly Made[]): void {
  const problems = made.flatMap(({ step: { name }, id }): readonly FolderProblem[] => {
    try {
      writeFile(folder, name, insertId(readFileSync(join(folder, name), 'utf8'), id))
      return []
    } catch (thrown) {
      const reason = thrown instanceof Error ? thrown.message : String(thrown)
      return [{ path: name, message: `${reason} Write this line into it: id: ${id}` }]
    }
  })
  if (problems.length === 0) return
  throw cliError(
    'The ids of new resources could not be written into their files.',
    exitCodes.usage,
    { code: 'id_not_kept', details: problems },
  )
}

/** The error to end with; `isLater`: a write before this one was done. Anything but a `CliError` is returned unchanged. */
function refusedWrite(thrown: unknown, request: ChangeRequest, isLater: boolean): unknown {
  if (!isCliError(thrown)) return thrown
  const complaints = complaintsOf(thrown.facts['details'], request)
  const details = complaints?.map(({ step, field, detail }) =>
    located(step, field, detail as Complaint),
  )
  const hint = hintOf(thrown, isLater)
  return cliError(thrown.message, thrown.exitCode, {
    ...thrown.facts,
    ...(details && { details }),
    ...(hint !== undefined && { hint }),
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
