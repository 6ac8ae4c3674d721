/** Builds and serves the OpenAPI 3.1 document of each host (`/openapi.json`). */

import { scopes } from '../../domain/principal.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { type Admission, type Host, publicAccess, type Route } from '../request/route.ts'
import { describeParameters } from './describeParameters.ts'
import { type DescribedRoute, describeContent, describeResponses } from './describeResponses.ts'
import { type Examples, recordedExamples } from './examples.ts'
import { type Components, openComponents } from './openapiComponents.ts'

/** Tokens and keys for the main host. */
const ofMain = {
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
}

/** Tokens for the hosts of applications. */
const ofSession = {
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
}

/** By the host. */
const schemesOf = { main: ofMain, session: ofSession } as const satisfies Record<Host, object>

const info = {
  title: 'Vigil API',
  version: '2.0.0',
  summary: 'Scores end users for fraud by flows of recipes of rules.',
  description:
    'Any request may be answered 400 when it is not HTTP or has no Host, 408 when it takes too long to arrive, 417 for an Expect other than 100-continue, 431 for headers that are too large, and 503 when the service is busy; all with an Error.',
  license: { name: 'MIT', identifier: 'MIT' },
}

const tags = [
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
]

const infos = {
  main: info,
  session: {
    ...info,
    title: 'Vigil Session API',
    summary: 'What the host of an application serves its users.',
    description: 'Whatever a host of no application is asked is answered 404 not_found.',
  },
} as const satisfies Record<Host, object>

const tagsOf = {
  main: tags,
  session: [{ name: 'Sessions', description: 'Sessions of the users of an application.' }],
} as const satisfies Record<Host, object>

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
    answers: { 200: { description: 'OpenAPI 3.1.', schema: { type: 'object' } } },
    failures: [],
    serve: async () => ({ status: 200, body: text }),
  })
  text = JSON.stringify(buildOpenapiDocument([...others, route], host))
  return route
}

const onHost = {
  main: { operationId: 'getInterfaceDescription', tag: 'Health' },
  session: { operationId: 'getSessionInterfaceDescription', tag: 'Sessions' },
} as const satisfies Record<Host, object>

/** The OpenAPI 3.1 document of the host's routes: every response, including refusals by middleware, with examples. */
export function buildOpenapiDocument(
  routes: readonly Route[],
  host: Host = 'main',
  examples: Examples = recordedExamples,
): object {
  const components = openComponents()
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes) {
    if (route.host !== host) continue
    const operations = paths[route.path] ?? {}
    operations[route.method.toLowerCase()] = operationOf(
      { route, example: examples[route.operationId] },
      components,
    )
    paths[route.path] = operations
  }
  return {
    openapi: '3.1.0',
    info: infos[host],
    servers: [{ url: '/', description: 'The service that answers this description.' }],
    tags: tagsOf[host],
    paths,
    components: { securitySchemes: schemesOf[host], schemas: components.listSchemas() },
  }
}

/** Bodies that are not JSON, by their types; one that is not text has no schema. */
function othersOf(types: Route['bodyTypes']): object {
  const contents = Object.entries(types).map(([type, example]) => [
    type,
    example === undefined ? {} : { schema: { type: 'string' }, example },
  ])
  return Object.fromEntries(contents)
}

function bodyOf({ route, example }: DescribedRoute, components: Components): object {
  const { bodySchema, bodyTypes, mayLackBody } = route
  if (!bodySchema && Object.keys(bodyTypes).length === 0) return {}
  const json =
    bodySchema && describeContent({ schema: bodySchema, example: example?.request }, components)
  return { requestBody: { required: !mayLackBody, content: { ...json, ...othersOf(bodyTypes) } } }
}

function operationOf({ route, example }: DescribedRoute, components: Components): object {
  const { operationId, summary, tag, admits } = route
  return {
    operationId,
    summary,
    description: admissionSentence(admits),
    tags: [tag],
    security: securityOf(admits),
    parameters: describeParameters(route, example?.parameters),
    ...bodyOf({ route, example }, components),
    responses: describeResponses({ route, example }, components),
  }
}

/** One sentence for people. */
function admissionSentence(admits: Admission): string {
  if (admits === 'anyone') return 'Open to anyone.'
  if (admits === 'front_end') return 'For front ends with an SDK key.'
  if (admits === 'refresh_token') return 'For sessions with a refresh token.'
  if ('user' in admits) return sentenceOnUser(admits.user)
  const { scopes, every, operator } = admits
  const words = every ? `scopes ${scopes.join(' and ')}` : `scope ${scopes.join(' or ')}`
  const tokens = [
    ...(operator ? ['the operator token'] : []),
    ...(scopes.length > 0 ? [`API tokens with the ${words}`] : []),
  ]
  return `For ${tokens.join(', and for ')}.`
}

/** Each entry is one alternative; scopes are roles of a bearer token (OpenAPI 3.1, security requirement object). */
function securityOf(admits: Admission): readonly object[] {
  if (admits === 'anyone') return []
  if (admits === 'front_end') return [{ sdkKey: [] }]
  if (admits === 'refresh_token') return [{ refreshToken: [] }]
  if ('user' in admits) {
    const { scope } = admits.user
    return [{ accessToken: scope === undefined ? [] : [scope] }]
  }
  const { scopes, every, operator } = admits
  const alternatives = every ? [scopes] : scopes.map((scope) => [scope])
  return [
    ...(operator ? [{ operatorToken: [] }] : []),
    ...alternatives.map((needed) => ({ apiToken: needed })),
  ]
}

function sentenceOnUser({ scope }: { readonly scope?: string | undefined }): string {
  const user = 'For users, with the access token of an active session'
  return scope === undefined ? `${user}.` : `${user} that carries the scope ${scope}.`
}
