/** The interface description. */

import { publicAccess } from '../request/access.ts'
import { noBody } from '../request/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { noQuery } from '../request/queryReader.ts'
import type { Route } from '../request/route.ts'
import { openapiDocument } from './openapiDocument.ts'

/** `GET /openapi.json`: the description of the given routes and of this one. */
export function openapiRoute(others: readonly Route[]): Route {
  let text = ''
  const route = defineRoute({
    method: 'GET',
    path: '/openapi.json',
    operationId: 'getInterfaceDescription',
    summary: 'This description',
    tag: 'Health',
    kind: 'plain',
    access: publicAccess,
    ids: {},
    query: noQuery,
    body: noBody,
    answers: { 200: { description: 'OpenAPI 3.1.', schema: { type: 'object' } } },
    failures: [],
    serve: async () => ({ status: 200, body: text }),
  })
  text = JSON.stringify(openapiDocument([...others, route]))
  return route
}
