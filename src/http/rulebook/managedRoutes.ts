/** Managed rules and recipes: kept by the operator, listed for customers. */

import type { Call, Page, PageRequest, Seen } from '../../domain/call.ts'
import { idPrefixes } from '../../domain/ids.ts'
import type { AccountsPart } from '../../service/accounts/accountsPart.ts'
import type { RulebookPart } from '../../service/rulebook/rulebookPart.ts'
import { seen } from '../request/answer.ts'
import { noBody } from '../request/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { pageQuery } from '../request/queryReader.ts'
import { accountAccess, operatorAccess, type Route } from '../request/route.ts'
import type { Schema } from '../request/schema.ts'
import {
  managedRecipeSchemas,
  managedRuleSchemas,
  offeredRecipePage,
  offeredRulePage,
} from './managedSchemas.ts'
import { resourceRoutes } from './resourceRoutes.ts'
import { title } from './routedResource.ts'

/** `/v2/operator/managed/{rules|recipes}`, and `…/managed` of the customers' resources; before the routes of those, whose ids they would be. */
export function managedRoutes(service: AccountsPart & RulebookPart): readonly Route[] {
  const { managed } = service
  return [
    offeredRoute(service, { noun: 'rule', offered: managed.offeredRules, page: offeredRulePage }),
    ...resourceRoutes({
      ...operatorsResource(service, 'rule'),
      resource: managed.rules,
      schemas: managedRuleSchemas,
      prefix: idPrefixes.rule,
      writeFailures: ['invalid_rule'],
      removeFailures: ['rule_in_use'],
    }),
    offeredRoute(service, {
      noun: 'recipe',
      offered: managed.offeredRecipes,
      page: offeredRecipePage,
    }),
    ...resourceRoutes({
      ...operatorsResource(service, 'recipe'),
      resource: managed.recipes,
      schemas: managedRecipeSchemas,
      prefix: idPrefixes.recipe,
      writeFailures: [],
      removeFailures: ['recipe_in_use'],
    }),
  ]
}

function operatorsResource({ authenticate }: AccountsPart, noun: string) {
  return {
    access: operatorAccess(authenticate),
    tag: 'Operator',
    path: `/v2/operator/managed/${noun}s`,
    plural: `${noun}s`,
    noun: `managed ${noun}`,
    // the other name is that of the list for customers
    listId: `listOperator${title(noun)}s`,
    failures: [],
  }
}

interface Offer {
  readonly noun: string
  readonly offered: (call: Call, page: PageRequest) => Promise<Seen<Page<object>>>
  readonly page: Schema
}

function offeredRoute({ authenticate }: AccountsPart, { noun, offered, page }: Offer): Route {
  return defineRoute({
    method: 'GET',
    path: `/v2/watch/management/${noun}s/managed`,
    operationId: `listManaged${title(noun)}s`,
    summary: `List the managed ${noun}s that recipes may use, in the order they were made`,
    tag: 'Authoring',
    kind: 'read',
    access: accountAccess(authenticate, 'author'),
    ids: {},
    query: pageQuery,
    body: noBody,
    answers: { 200: { description: `A page of managed ${noun}s.`, schema: page } },
    failures: ['invalid_request', 'access_not_enabled'],
    serve: async ({ call, query }) => {
      const { value, position } = await offered(call, query)
      const { items, nextCursor } = value
      return seen({ value: { [`${noun}s`]: items, next_cursor: nextCursor }, position })
    },
  })
}
