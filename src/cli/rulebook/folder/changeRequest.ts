/** Builds the request for the changes of a push, and validates them by a dry run. */

import type { Body, Client } from '../../connecting/client.ts'
import { isCliError } from '../../terminal/cliError.ts'
import type { Change } from './changes.ts'
import { type Complaint, located } from './locate.ts'
import type { FolderProblem } from './problem.ts'
import { bodyOfFields, eachKind, type Kind, kinds, type Translate } from './resourceFile.ts'

/** The endpoint for many changes in one request. */
export const changesPath = '/v2/watch/management/changes'

/** Characters of a request, and changes of a kind in it, that the service takes. */
const charactersMax = 3_000_000
const changesMax = 5_000

interface Checking {
  readonly client: Client
  readonly idOfSlug: Translate
}

/** Problems and warnings of the steps, at their positions in the files. */
export interface Checked {
  /** What prevents them. */
  readonly problems: readonly FolderProblem[]
  /** Probable mistakes; known only without problems. */
  readonly warnings: readonly FolderProblem[]
}

const nothing: Checked = { problems: [], warnings: [] }

/**
 * Returns the problems and warnings of all steps. If they exceed one request, only rules and the lists they use are checked; the rest is
 * checked when it is written. Throws other refusals and failures of the service.
 */
export async function validateChanges(
  checking: Checking,
  steps: readonly Change[],
): Promise<Checked> {
  if (steps.length === 0) return nothing
  const request = changeRequest(steps, checking)
  if (isTooLarge(request)) return checkRules(checking, steps)
  try {
    const asked = { dry_run: true, ...request.body }
    const { body } = await checking.client('POST', changesPath, { body: asked })
    return { problems: [], warnings: locatedIn(complaintsOf(body['warnings'], request)) }
  } catch (thrown) {
    if (isTooLargeFor(thrown)) return checkRules(checking, steps)
    const complaints = isCliError(thrown)
      ? complaintsOf(thrown.facts['details'], request)
      : undefined
    if (!complaints) throw thrown
    return { problems: locatedIn(complaints), warnings: [] }
  }
}

function locatedIn(complaints: ReturnType<typeof complaintsOf> = []): readonly FolderProblem[] {
  return complaints.map(({ step, field, detail }) => located(step, field, detail as Complaint))
}

/** The rules alone, which refer to nothing but lists, in two halves; the lists go along with both. */
async function checkRules(checking: Checking, steps: readonly Change[]): Promise<Checked> {
  const rules = steps.filter(({ kind, action }) => kind === 'rules' && action !== 'delete')
  if (rules.length < 2) return nothing
  const lists = steps.filter(({ kind, action }) => kind === 'lists' && action !== 'delete')
  const half = Math.ceil(rules.length / 2)
  const first = await validateChanges(checking, [...lists, ...rules.slice(0, half)])
  const second = await validateChanges(checking, [...lists, ...rules.slice(half)])
  const saidOfLists = new Set(lists.map(({ name }) => name))
  return {
    problems: [...first.problems, ...second.problems.filter(({ path }) => !saidOfLists.has(path))],
    warnings: [...first.warnings, ...second.warnings],
  }
}

export interface ChangeRequest {
  readonly body: Readonly<Record<Kind, readonly Body[]>>
  /** The step at a path of the body, such as `rules.0`. */
  readonly stepAt: ReadonlyMap<string, Change>
}

interface Known {
  /** The id of a file's name, where it has one; anything else as it is. */
  readonly idOfSlug: Translate
  /** The entity tags that what is changed must still have. */
  readonly tags?: ReadonlyMap<Change, string>
}

/** Builds the request. A new resource is named by its path in the request (`rules.0`), also in references from other steps. */
export function changeRequest(
  steps: readonly Change[],
  { idOfSlug, tags = new Map() }: Known,
): ChangeRequest {
  const located = kinds.flatMap((kind) =>
    steps
      .filter((step) => step.kind === kind)
      .map((step, index) => ({ step, path: `${kind}.${index}` })),
  )
  const pathOfSlug = new Map(
    located
      .filter(({ step }) => step.action === 'create')
      .map(({ step, path }) => [`${step.kind}/${step.file?.slug}`, path]),
  )
  const refer: Translate = (kind, reference) =>
    pathOfSlug.get(`${kind}/${reference}`) ?? idOfSlug(kind, reference)
  const of = (kind: Kind): readonly Body[] =>
    steps.filter((step) => step.kind === kind).map((step) => entryOf(step, refer, tags.get(step)))
  return {
    body: eachKind(of),
    stepAt: new Map(located.map(({ step, path }) => [path, step])),
  }
}

/** Whether the request exceeds the size limit of the service. */
export function isTooLarge({ body }: ChangeRequest): boolean {
  return (
    kinds.some((kind) => body[kind].length > changesMax) ||
    JSON.stringify(body).length > charactersMax
  )
}

/** Whether the service refused the request for its size, so that fewer changes may be accepted. */
export function isTooLargeFor(thrown: unknown): boolean {
  return isCliError(thrown) && thrown.facts['code'] === 'payload_too_large'
}

function entryOf(
  { action, kind, id, folder = {} }: Change,
  refer: Translate,
  tag: string | undefined,
): Body {
  return {
    ...(action !== 'create' && { id }),
    ...(tag !== undefined && { if_match: tag }),
    ...(action === 'delete' ? { delete: true } : { content: bodyOfFields(kind, folder, refer) }),
  }
}

/** The problems of a refusal, each with its step; undefined for refusals about something else. */
export function complaintsOf(
  details: unknown,
  { stepAt }: Pick<ChangeRequest, 'stepAt'>,
):
  | readonly { readonly step: Change; readonly field: string; readonly detail: object }[]
  | undefined {
  if (!Array.isArray(details) || details.length === 0) return undefined
  const found = details.flatMap((detail: { readonly path?: unknown }) => {
    const [, path = '', field = ''] =
      /^((?:lists|rules|recipes|flows)\.\d+)(?:\.content\.(.+))?/.exec(String(detail.path)) ?? []
    const step = stepAt.get(path)
    return step ? [{ step, field, detail }] : []
  })
  return found.length === details.length ? found : undefined
}
