/** Declares the route for several rulebook changes in one request, with the problems of each. */

import { changeRulebook } from '../../commands/rulebook/changes/changeRulebook.ts'
import {
  type ChangesInput,
  changedRulebookSchema,
  changeSchemas,
  getChangesOfKind,
  mapResourceKinds,
  type ResourceChange,
  type ResourceKind,
  type RulebookChanges,
  resourceKinds,
} from '../../commands/rulebook/changes/rulebookChanges.ts'
import { type FailureDetail, invalidRequest } from '../../domain/failure.ts'
import { closedObject, optional, type Schema } from '../../domain/jsonSchema.ts'
import { runInSlices } from '../../domain/load/scheduler.ts'
import type { Steps } from '../../domain/load/steps.ts'
import { accountAccess } from '../request/access.ts'
import { jsonBodyReader } from '../request/body/bodyReader.ts'
import { defineRoute, type Route } from '../request/route.ts'
import { areDetailsComplete, compileSchema, toFailureDetails } from '../request/schema/validator.ts'

/** Changes of one kind in one request. */
const changesMax = 5_000

/** Changes of lists in one request; an account may have few lists. */
const listChangesMax = 1_000

function buildChangesSchema(items: Schema | undefined, maxItems = changesMax): Schema {
  return { type: 'array', maxItems, ...(items && { items }) }
}

const description =
  'New resources are referred to by their path in the request: rules.0, recipes.0.'

function buildRulebookChangesSchema(change: Partial<Record<ResourceKind, Schema>>): Schema {
  return closedObject(
    'RulebookChanges',
    {
      lists: optional(buildChangesSchema(change.lists, listChangesMax)),
      rules: optional(buildChangesSchema(change.rules)),
      recipes: optional(buildChangesSchema(change.recipes)),
      flows: optional(buildChangesSchema(change.flows)),
      dry_run: optional({
        type: 'boolean',
        default: false,
        description: 'Check the changes without applying them.',
      }),
    },
    { description },
  )
}

const rulebookChangesSchema: Schema = buildRulebookChangesSchema(changeSchemas)

/** The same without what each change is to be. */
const rulebookChangesOutline: Schema = buildRulebookChangesSchema({})

/** `POST /v2/watch/management/changes`. */
export const rulebookChangeRoute: Route = defineRoute({
  method: 'POST',
  path: '/v2/watch/management/changes',
  operationId: 'changeRulebook',
  summary: 'Change several lists, rules, recipes and flows atomically',
  tag: 'Authoring',
  access: accountAccess('author'),
  body: jsonBodyReader(rulebookChangesSchema, { size: 'batch' }, (body, context) =>
    runInSlices(context, readChanges(body)),
  ),
  answers: {
    200: { description: 'The result of each change.', schema: changedRulebookSchema },
  },
  failures: [
    'access_not_enabled',
    'invalid_rule',
    'managed_rule_read_only',
    'managed_recipe_read_only',
    'not_found',
    'conflict',
    'rule_in_use',
    'recipe_in_use',
    'list_in_use',
    'precondition_failed',
  ],
  serve: ({ context, call, body }) => changeRulebook(context, call, body),
})

type Change = ResourceChange<unknown>

const fitsOutline = compileSchema<RulebookChanges>(rulebookChangesOutline)

const fits = mapResourceKinds((kind) => compileSchema<Change>(changeSchemas[kind]))

/** Problems that are gathered before the rest is left unlooked at: more than one answer tells. */
const problemsMax = 100

/**
 * The changes. What is wrong with a content goes along, so that it is said together with what else is wrong; unless not
 * all of it is known, since a content of which nothing is said is taken to fit. Throws `invalid_request`.
 */
function* readChanges(value: unknown): Steps<ChangesInput> {
  const problems = yield* findProblems(value)
  const faults = new Map<string, FailureDetail[]>()
  for (const { path, ...rest } of problems.details) {
    const [, change, field] = contentPath.exec(path) ?? []
    if (!problems.areAll || change === undefined || field === undefined) {
      throw invalidRequest(problems.details.slice(0, problemsMax))
    }
    faults.set(change, [...(faults.get(change) ?? []), { path: field, ...rest }])
  }
  return { changes: value as RulebookChanges, faults }
}

const contentPath = /^((?:lists|rules|recipes|flows)\.\d+)\.content\.(.+)$/

interface Problems {
  readonly details: readonly FailureDetail[]
  /** Whether there is nothing else wrong. */
  readonly areAll: boolean
}

function* findProblems(value: unknown): Steps<Problems> {
  const details = fitsOutline(value) ? [] : toFailureDetails(fitsOutline.errors)
  const wrong = new Set(details.map(({ path }) => path))
  // it is no object at all
  if (wrong.has('')) return { details, areAll: false }
  for (const kind of resourceKinds.filter((name) => !wrong.has(name))) {
    for (const [index, change] of getChangesOfKind(value as RulebookChanges, kind).entries()) {
      yield
      const found = findChangeProblems(kind, index, change)
      details.push(...found.details)
      if (!found.areAll || details.length >= problemsMax) return { details, areAll: false }
    }
  }
  return { details, areAll: true }
}

function findChangeProblems(kind: ResourceKind, index: number, change: Change): Problems {
  if (fits[kind](change)) return { details: [], areAll: true }
  const found = toFailureDetails(fits[kind].errors)
  const above = `${kind}.${index}`
  const details = found.map(({ path, ...detail }) => ({
    path: path === '' ? above : `${above}.${path}`,
    ...detail,
  }))
  return { details, areAll: areDetailsComplete(change, found) }
}
