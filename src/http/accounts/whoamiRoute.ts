/** Declares the route that tells a token what it is. */

import { findWhoami, whoamiSchema } from '../../queries/accounts/whoami.ts'
import { anyTokenAccess } from '../request/access.ts'
import { valueAnswer } from '../request/answer.ts'
import { defineRoute, type Route } from '../request/route.ts'

/** `GET /v2/whoami`. */
export const whoamiRoute: Route = defineRoute({
  method: 'GET',
  path: '/v2/whoami',
  operationId: 'whoami',
  summary: 'Tell the token its account, scopes and name',
  tag: 'Health',
  kind: 'plain',
  access: anyTokenAccess,
  answers: { 200: { description: 'What the token is.', schema: whoamiSchema } },
  serve: ({ context, call }) => valueAnswer(findWhoami(context, call.principal)),
})
