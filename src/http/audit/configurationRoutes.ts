/** Declares the routes for the configuration as of a time, and the difference of two. */

import { type ResourceKind, resourceKinds } from '../../domain/resourceKinds.ts'
import type { OpenedPersons } from '../../domain/shownPersons.ts'
import {
  configurationDiffSchema,
  configurationSchema,
  findConfiguration,
  findConfigurationDifference,
} from '../../queries/audit/configuration/findConfiguration.ts'
import { accountAccess } from '../request/access.ts'
import { positionOrTimeParameter } from '../request/filterParameters.ts'
import {
  buildQueryReader,
  choiceParameter,
  cursorParameter,
  limitParameter,
} from '../request/queryReader.ts'
import { defineRoute, type Route } from '../request/route.ts'

const kind = choiceParameter(
  'kind',
  resourceKinds,
  'Only resources of this kind; all, entries of lists last, unless given.',
)
const page = { kind, limit: limitParameter, cursor: cursorParameter }

const stateQuery = buildQueryReader({
  asOf: positionOrTimeParameter('as_of', 'As of when; now unless given'),
  ...page,
})

const differenceQuery = buildQueryReader({
  from: { ...positionOrTimeParameter('from', 'Since when'), required: true },
  to: positionOrTimeParameter('to', 'Until when; now unless given'),
  ...page,
})

const common = {
  method: 'GET',
  tag: 'Audit',
  access: accountAccess('audit'),
} as const

/** Only entries of lists are of persons. */
const findEntries = (resources: readonly { readonly kind: ResourceKind }[]): OpenedPersons =>
  resources.some((one) => one.kind === 'entry') ? 'unnamed' : []

/** `GET /v2/watch/audit/state` and `GET /v2/watch/audit/difference`. */
export const configurationRoutes: readonly Route[] = [
  defineRoute({
    ...common,
    path: '/v2/watch/audit/state',
    operationId: 'listState',
    summary: 'List the configuration of the account as it was at a position or a time',
    query: stateQuery,
    answers: { 200: { description: 'What was configured.', schema: configurationSchema } },
    serve: async ({ context, call, query }) => {
      const value = await findConfiguration(context, call, query)
      return { value, isLong: true, persons: findEntries(value.items) }
    },
  }),
  defineRoute({
    ...common,
    path: '/v2/watch/audit/difference',
    operationId: 'listDifference',
    summary: 'List what changed in the configuration of the account between two points',
    query: differenceQuery,
    answers: { 200: { description: 'What is not as it was.', schema: configurationDiffSchema } },
    serve: async ({ context, call, query }) => {
      const value = await findConfigurationDifference(context, call, query)
      return { value, isLong: true, persons: findEntries(value.changes) }
    },
  }),
]
