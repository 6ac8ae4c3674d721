/** Builds and serves the OpenAPI 3.1 document of each host (`/openapi.json`). */

import { scopes } from '../../domain/principal.ts'
import { publicAccess } from '../request/access.ts'
import { defineRoute, type Host, type Route } from '../request/route.ts'
import { describeAdmission } from './describeAdmission.ts'
import { describeParameters } from './describeParameters.ts'
import { type DescribedRoute, describeContent, describeResponses } from './describeResponses.ts'
import { type ComponentCollector, createComponentCollector } from './openapiComponents.ts'
import { type OperationExamples, recordedExamples } from './openapiExamples.ts'

const info = {
  title: 'Vigil API',
  version: '2.0.0',
  summary: 'Scores end users for fraud by flows of recipes of rules.',
  description:
    'Any request may be answered 400 when it is not HTTP or has no Host, 408 when it takes too long to arrive, 417 for an Expect other than 100-continue, 431 for headers that are too large, and 503 when the service is busy; all with an Error.',
  license: { name: 'MIT', identifier: 'MIT' },
}

/** What the document of the main host says beside its routes. */
const main = {
  info,
  tags: [
    { name: 'Watch', description: 'Verdicts.' },
    { name: 'Audit', description: 'Recorded evaluations, shown and recomputed.' },
    { name: 'Analysis', description: 'Queries over many evaluations.' },
    { name: 'Front ends', description: 'Signals that browsers and apps send.' },
    { name: 'Authoring', description: 'Rules, recipes and flows.' },
    {
      name: 'Verification management',
      description: 'Phone lists, sender IDs and templates of the account.',
    },
    { name: 'Session management', description: 'Applications of the account.' },
    { name: 'Operator', description: 'Accounts, tokens, managed rules and the installation.' },
    { name: 'Health', description: 'State of the service.' },
  ],
  securitySchemes: {
    apiToken: {
      type: 'http',
      scheme: 'bearer',
      description: `An API token of an account, as the operator issues it. It carries one or more of the scopes ${scopes.join(', ')}; each operation says which it needs. audit reads everything of its account and writes nothing.`,
    },
    operatorToken: {
      type: 'http',
      scheme: 'bearer',
      description: 'The token of the operator of the installation (VIGIL_OPERATOR_TOKEN).',
    },
    sdkKey: {
      type: 'apiKey',
      in: 'header',
      name: 'X-SDK-Key',
      description: "A public key of an account's front ends, as the operator issues it; no secret.",
    },
  },
  self: { operationId: 'getInterfaceDescription', tag: 'Health' },
}

/** Same, for the hosts of applications. */
const session = {
  info: {
    ...info,
    title: 'Vigil Session API',
    summary: 'What the host of an application serves its users.',
    description: 'Whatever a host of no application is asked is answered 404 not_found.',
  },
  tags: [{ name: 'Sessions', description: 'Sessions of the users of an application.' }],
  securitySchemes: {
    accessToken: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description: "The access token of a user's session, as a refresh of the session answers it.",
    },
    refreshToken: {
      type: 'apiKey',
      in: 'header',
      name: 'X-Refresh-Token',
      description:
        'The refresh token of a session, good for one refresh. It may stand in the cookie __refresh_{appID} instead.',
    },
  },
  self: { operationId: 'getSessionInterfaceDescription', tag: 'Sessions' },
}

const documents = { main, session } as const satisfies Record<Host, object>

/** `GET /openapi.json` of a host: the description of its routes and of this one. */
export function openapiRoute(others: readonly Route[], host: Host): Route {
  let text = ''
  const route = defineRoute({
    method: 'GET',
    path: '/openapi.json',
    host,
    ...documents[host].self,
    summary: 'This description',
    kind: 'plain',
    access: publicAccess,
    answers: { 200: { description: 'OpenAPI 3.1.', schema: { type: 'object' } } },
    serve: async () => ({ value: text }),
  })
  text = JSON.stringify(buildOpenapiDocument([...others, route], host))
  return route
}

/** The OpenAPI 3.1 document of the host's routes: every response, including refusals by middleware, with examples. */
export function buildOpenapiDocument(
  routes: readonly Route[],
  host: Host = 'main',
  examples: OperationExamples = recordedExamples,
): object {
  const { info, tags, securitySchemes } = documents[host]
  const components = createComponentCollector()
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes.filter((one) => one.host === host)) {
    const described = { route, example: examples[route.operationId] }
    const operation = describeOperation(described, components)
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation }
  }
  return {
    openapi: '3.1.0',
    info,
    servers: [{ url: '/', description: 'The service that answers this description.' }],
    tags,
    paths,
    components: { securitySchemes, schemas: components.listSchemas() },
  }
}

function describeOperation(described: DescribedRoute, components: ComponentCollector): object {
  const { route, example } = described
  const { operationId, summary, tag, admits } = route
  const { sentence, security } = describeAdmission(admits)
  return {
    operationId,
    summary,
    description: sentence,
    tags: [tag],
    security,
    parameters: describeParameters(route, example?.parameters),
    ...describeRequestBody(described, components),
    responses: describeResponses(described, components),
  }
}

function describeRequestBody(
  { route, example }: DescribedRoute,
  components: ComponentCollector,
): object {
  const { schema, contentTypes = {}, mayBeAbsent = false } = route.body
  // bodies that are not JSON; one that is not text has no schema
  const others = Object.entries(contentTypes).map(([type, text]) => [
    type,
    text === undefined ? {} : { schema: { type: 'string' }, example: text },
  ])
  if (!schema && others.length === 0) return {}
  const json = schema && describeContent({ schema, example: example?.request }, components)
  const content = { ...json, ...Object.fromEntries(others) }
  return { requestBody: { required: !mayBeAbsent, content } }
}
