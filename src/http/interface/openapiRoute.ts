/** The interface descriptions. */

import { publicAccess } from '../request/access.ts'
import { noBody } from '../request/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { noQuery } from '../request/queryReader.ts'
import type { Host, Route } from '../request/route.ts'
import { openapiDocument } from './openapiDocument.ts'

/** `GET /openapi.json` of a host: the description of its routes and of this one. */
export function openapiRoute(others: readonly Route[], host: Host): Route {
  let text = ''
  const route = defineRoute({
    method: 'GET',
    path: '/openapi.json',
    host,
    ...onHost[host],
    summary: 'This description',
    kind: 'plain',
    access: publicAccess,
    ids: {},
    query: noQuery,
    body: noBody,
    answers: { 200: { description: 'OpenAPI 3.1.', schema: { type: 'object' } } },
    failures: [],
    serve: async () => ({ status: 200, body: text }),
  })
  text = JSON.stringify(openapiDocument([...others, route], host))
  return route
}

const onHost = {
  main: { operationId: 'getInterfaceDescription', tag: 'Health' },
  session: { operationId: 'getSessionInterfaceDescription', tag: 'Sessions' },
} as const satisfies Record<Host, object>
