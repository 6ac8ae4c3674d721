/** Several changes of a rulebook at once. */

import { type FailureDetail, invalidRequest } from '../../domain/failure.ts'
import type { ChangesAsked, RulebookChanges } from '../../service/rulebook/rulebookChanges.ts'
import type { Service } from '../../service.ts'
import { accountAccess } from '../request/access.ts'
import { written } from '../request/answer.ts'
import { type BodyReader, readableBody } from '../request/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { noQuery } from '../request/queryReader.ts'
import type { Route } from '../request/route.ts'
import { compileSchema, detailsOf, isEveryProblem } from '../request/validator.ts'
import { changedRulebookSchema, rulebookChangesSchema } from './changeSchemas.ts'

/** `POST /v2/watch/management/changes`. */
export function changeRoutes(service: Service): readonly Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/v2/watch/management/changes',
      operationId: 'changeRulebook',
      summary: 'Make several changes of rules, recipes and flows at once, all of them or none',
      tag: 'Authoring',
      kind: 'write',
      access: accountAccess(service.authenticate, 'author'),
      ids: {},
      query: noQuery,
      body: changesBody,
      answers: { 200: { description: 'What became of each.', schema: changedRulebookSchema } },
      failures: [
        'access_not_enabled',
        'invalid_rule',
        'managed_rule_read_only',
        'managed_recipe_read_only',
        'not_found',
        'conflict',
        'rule_in_use',
        'recipe_in_use',
        'precondition_failed',
      ],
      serve: async ({ call, body }) => written(200, await service.changeRulebook(call, body)),
    }),
  ]
}

const fits = compileSchema<RulebookChanges>(rulebookChangesSchema)

/**
 * What is wrong with a content goes along, so that it is said together with what else is wrong; unless not all of it is known, since
 * a content of which nothing is said is taken to fit.
 */
const changesBody: BodyReader<ChangesAsked> = readableBody(
  rulebookChangesSchema,
  'batch',
  (value) => {
    if (fits(value)) return { changes: value, faults: new Map() }
    const details = detailsOf(fits.errors)
    if (!isEveryProblem(value, details)) throw invalidRequest(details)
    const faults = new Map<string, FailureDetail[]>()
    for (const { path, ...rest } of details) {
      const [, change, field] = contentPath.exec(path) ?? []
      if (change === undefined || field === undefined) throw invalidRequest(details)
      faults.set(change, [...(faults.get(change) ?? []), { path: field, ...rest }])
    }
    return { changes: value as RulebookChanges, faults }
  },
)

const contentPath = /^((?:rules|recipes|flows)\.\d+)\.content\.(.+)$/
