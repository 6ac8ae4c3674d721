/** Builds requests for folder changes, validates them by a dry run, pushes them, saves new ids. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { entityTag } from '../../../domain/text/entityTag.ts'
import type { Client, JsonObject } from '../../connecting/client.ts'
import {
  type CliError,
  createCliError,
  exitCodes,
  interruptedError,
  isCliError,
} from '../../terminal/cliError.ts'
import type { FolderChange, FolderComparison } from './compareFolder.ts'
import { type FolderProblem, locateValidationError } from './folderProblem.ts'
import {
  convertToRequestBody,
  type FolderKind,
  folderKinds,
  hasOwnId,
  insertId,
  type TranslateReference,
  writeFileAtomically,
} from './resourceFile.ts'

/** The endpoint for many changes in one request. */
const changesPath = '/v2/watch/management/changes'

/** Characters of a request, and changes of a kind in it, that the service takes. */
const charactersMax = 3_000_000
const changesMax = 5_000

/** Problems and warnings of the steps, at their positions in the files. */
interface ChangesValidation {
  /** What prevents them. */
  readonly problems: readonly FolderProblem[]
  /** Probable mistakes; known only without problems. */
  readonly warnings: readonly FolderProblem[]
}

type ValidationInput = Pick<FolderComparison, 'client' | 'ids'>

/**
 * Returns the problems and warnings of all steps. If they exceed one request, only rules and the lists they use are
 * checked; the rest is checked when it is written. Throws other refusals and failures of the service.
 */
export async function validateChanges(
  checking: ValidationInput,
  steps: readonly FolderChange[],
): Promise<ChangesValidation> {
  if (steps.length === 0) return { problems: [], warnings: [] }
  const request = buildChangeRequest(steps, checking.ids)
  try {
    const answer = await sendChanges(checking.client, { dry_run: true, ...request.body }, true)
    if (!answer) return checkRules(checking, steps)
    return { problems: [], warnings: locateProblems(answer['warnings'], request) ?? [] }
  } catch (thrown) {
    const problems = isCliError(thrown) && locateProblems(thrown.facts['details'], request)
    if (!problems) throw thrown
    return { problems, warnings: [] }
  }
}

/** The rules alone, which refer to nothing but lists, in two halves; the lists go along with both. */
async function checkRules(
  checking: ValidationInput,
  steps: readonly FolderChange[],
): Promise<ChangesValidation> {
  const of = (wanted: FolderKind) =>
    steps.filter(({ kind, action }) => kind === wanted && action !== 'delete')
  const [lists, rules] = [of('lists'), of('rules')]
  if (rules.length < 2) return { problems: [], warnings: [] }
  const half = Math.ceil(rules.length / 2)
  const first = await validateChanges(checking, [...lists, ...rules.slice(0, half)])
  const second = await validateChanges(checking, [...lists, ...rules.slice(half)])
  const reported = new Set(lists.map(({ name }) => name))
  return {
    problems: [...first.problems, ...second.problems.filter(({ path }) => !reported.has(path))],
    warnings: [...first.warnings, ...second.warnings],
  }
}

interface ChangeRequest {
  /** The changes of each kind. */
  readonly body: Readonly<Record<string, readonly JsonObject[]>>
  /** The step at a path of the body, such as `rules.0`. */
  readonly stepAt: ReadonlyMap<string, FolderChange>
}

/**
 * Builds the request. A new resource is named by its path in the request (`rules.0`), also in references from other
 * steps. `guarded`: what is changed must still be as it was read.
 */
function buildChangeRequest(
  steps: readonly FolderChange[],
  ids: FolderComparison['ids'],
  guarded = false,
): ChangeRequest {
  const ofKinds = folderKinds.map((kind) => steps.filter((step) => step.kind === kind))
  const stepAt = new Map(
    ofKinds.flatMap((ofKind) =>
      ofKind.map((step, index) => [`${step.kind}.${index}`, step] as const),
    ),
  )
  const pathOfSlug = new Map(
    [...stepAt]
      .filter(([, step]) => step.action === 'create')
      .map(([path, { kind, file }]) => [`${kind}/${file?.slug}`, path]),
  )
  const refer: TranslateReference = (kind, reference) =>
    pathOfSlug.get(`${kind}/${reference}`) ?? ids.get(`${kind}/${reference}`) ?? reference
  const entryOf = ({ action, kind, id, folder = {}, view }: FolderChange): JsonObject => ({
    ...(action !== 'create' && { id }),
    ...(guarded && view && { if_match: entityTag(view) }),
    ...(action === 'delete'
      ? { delete: true }
      : { content: convertToRequestBody(kind, folder, refer) }),
  })
  const body = folderKinds.map((kind, index) => [kind, ofKinds[index]?.map(entryOf) ?? []])
  return { body: Object.fromEntries(body), stepAt }
}

/** The answer to the request; undefined when it can be split, and is too large for the service. */
async function sendChanges(
  client: Client,
  body: object,
  canBeSplit: boolean,
): Promise<JsonObject | undefined> {
  const isTooLarge =
    Object.values(body).some((changes: readonly unknown[]) => changes.length > changesMax) ||
    JSON.stringify(body).length > charactersMax
  if (canBeSplit && isTooLarge) return undefined
  try {
    return await client('POST', changesPath, { body })
  } catch (thrown) {
    const isRefusal = isCliError(thrown) && thrown.facts['code'] === 'payload_too_large'
    if (canBeSplit && isRefusal) return undefined
    throw thrown
  }
}

/** Details of a refusal, or warnings, at their positions in the files; undefined when any is of something else. */
function locateProblems(
  details: unknown,
  { stepAt }: ChangeRequest,
): readonly FolderProblem[] | undefined {
  if (!Array.isArray(details) || details.length === 0) return undefined
  const found = (details as readonly FolderProblem[]).flatMap((complaint) => {
    const [, path = '', field = ''] =
      /^((?:lists|rules|recipes|flows)\.\d+)(?:\.content\.(.+))?/.exec(complaint.path) ?? []
    const step = stepAt.get(path)
    return step ? [locateValidationError(step, field, complaint)] : []
  })
  return found.length === details.length ? found : undefined
}

interface PushContext extends Pick<FolderComparison, 'client' | 'folder' | 'ids'> {
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
 * Reports a problem for each kind that a pruning push would delete although its subfolder is missing: only an empty
 * subfolder states that no resources of the kind are wanted.
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
 * Executes the steps, in one write if they fit into one request. The first failing write ends it and reports whether
 * anything was done. New ids are saved in the files before the next write.
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
  const answer = await sendChanges(push.client, request.body, steps.length > 1).catch(
    (thrown: unknown) => {
      throw isCliError(thrown) ? createWriteError(thrown, request, isLater) : thrown
    },
  )
  if (answer) {
    const ids = [...request.stepAt].map(
      ([path, step]) => [step, step.id ?? resolveNewId(answer, path)] as const,
    )
    recordIds(push, new Map(ids))
    return
  }
  const half = Math.ceil(steps.length / 2)
  await writeSteps(push, steps.slice(0, half), isLater)
  await writeSteps(push, steps.slice(half), true)
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
function createWriteError(error: CliError, request: ChangeRequest, isLater: boolean): CliError {
  const details = locateProblems(error.facts['details'], request)
  return createCliError(error.message, error.exitCode, {
    ...error.facts,
    ...(details && { details }),
    hint: chooseRetryHint(error, isLater),
  })
}

function chooseRetryHint({ exitCode, facts: { code, hint } }: CliError, isLater: boolean): string {
  const rest = isLater
    ? 'What is listed above as done stays done; push again to continue.'
    : 'Nothing was written; push again.'
  if (exitCode === exitCodes.unreachable || exitCode === exitCodes.interrupted) {
    return `${typeof hint === 'string' ? `${hint} ` : ''}Whether this write was done is not known: push again; what it created is found, and its id written into its file.`
  }
  return code === 'precondition_failed' ? `${rest} What has changed: vigil diff` : rest
}
