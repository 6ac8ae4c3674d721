/** Builds the request for the changes of a push, and validates them by a dry run. */

import { entityTag } from '../../../domain/text/entityTag.ts'
import type { JsonObject } from '../../connecting/client.ts'
import { isCliError } from '../../terminal/cliError.ts'
import type { FolderChange } from './changes.ts'
import type { FolderComparison } from './compareFolder.ts'
import type { FolderProblem } from './folderProblem.ts'
import { locateValidationError, type ValidationDetail } from './locateError.ts'
import {
  convertToRequestBody,
  type FolderKind,
  folderKinds,
  type TranslateReference,
} from './resourceFile.ts'

/** The endpoint for many changes in one request. */
export const changesPath = '/v2/watch/management/changes'

/** Characters of a request, and changes of a kind in it, that the service takes. */
const charactersMax = 3_000_000
const changesMax = 5_000

/** Problems and warnings of the steps, at their positions in the files. */
export interface ChangesValidation {
  /** What prevents them. */
  readonly problems: readonly FolderProblem[]
  /** Probable mistakes; known only without problems. */
  readonly warnings: readonly FolderProblem[]
}

type ValidationInput = Pick<FolderComparison, 'client' | 'ids'>

/**
 * Returns the problems and warnings of all steps. If they exceed one request, only rules and the lists they use are checked; the rest is
 * checked when it is written. Throws other refusals and failures of the service.
 */
export async function validateChanges(
  checking: ValidationInput,
  steps: readonly FolderChange[],
): Promise<ChangesValidation> {
  if (steps.length === 0) return { problems: [], warnings: [] }
  const request = buildChangeRequest(steps, checking.ids)
  if (isRequestTooLarge(request)) return checkRules(checking, steps)
  try {
    const asked = { dry_run: true, ...request.body }
    const { body } = await checking.client('POST', changesPath, { body: asked })
    return { problems: [], warnings: locateProblems(body['warnings'], request) ?? [] }
  } catch (thrown) {
    if (isRefusedAsTooLarge(thrown)) return checkRules(checking, steps)
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

export interface ChangeRequest {
  /** The changes of each kind. */
  readonly body: Readonly<Record<string, readonly JsonObject[]>>
  /** The step at a path of the body, such as `rules.0`. */
  readonly stepAt: ReadonlyMap<string, FolderChange>
}

/**
 * Builds the request. A new resource is named by its path in the request (`rules.0`), also in references from other steps. `guarded`:
 * what is changed must still be as it was read.
 */
export function buildChangeRequest(
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

/** Whether the request exceeds the size limit of the service. */
export function isRequestTooLarge({ body }: ChangeRequest): boolean {
  return (
    Object.values(body).some((changes) => changes.length > changesMax) ||
    JSON.stringify(body).length > charactersMax
  )
}

/** Whether the service refused the request for its size, so that fewer changes may be accepted. */
export function isRefusedAsTooLarge(thrown: unknown): boolean {
  return isCliError(thrown) && thrown.facts['code'] === 'payload_too_large'
}

/** The details of a refusal, or warnings, at their positions in the files; undefined when any is about something else. */
export function locateProblems(
  details: unknown,
  { stepAt }: ChangeRequest,
): readonly FolderProblem[] | undefined {
  if (!Array.isArray(details) || details.length === 0) return undefined
  const found = (details as readonly ValidationDetail[]).flatMap((complaint) => {
    const [, path = '', field = ''] =
      /^((?:lists|rules|recipes|flows)\.\d+)(?:\.content\.(.+))?/.exec(complaint.path) ?? []
    const step = stepAt.get(path)
    return step ? [locateValidationError(step, field, complaint)] : []
  })
  return found.length === details.length ? found : undefined
}
