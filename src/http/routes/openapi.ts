/** The interface description. */

import { publicAccess } from '../access.ts'
import { noBody } from '../bodyReader.ts'
import { defineRoute } from '../defineRoute.ts'
import { openapiDocument } from '../openapiDocument.ts'
import { noQuery } from '../queryReader.ts'
import type { Route } from '../route.ts'

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
