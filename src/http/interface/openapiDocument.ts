/** Builds the OpenAPI document from the routes and the schemas that they check with. */

import type { Host, Route } from '../request/route.ts'
import { admissionSentence, schemesOf, securityOf } from './admissions.ts'
import { type Components, collectComponents } from './components.ts'
import { contentOf } from './content.ts'
import { type Examples, recordedExamples } from './examples.ts'
import { parametersOf } from './parameters.ts'
import { type Described, responsesOf } from './responses.ts'

/** The OpenAPI 3.1 document of those of the routes that stand on the host: every answer they can give, the refusals of the door included, with examples. */
export function openapiDocument(
  routes: readonly Route[],
  host: Host = 'main',
  examples: Examples = recordedExamples,
): object {
  const components = collectComponents()
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
    components: { securitySchemes: schemesOf[host], schemas: components.all() },
  }
}

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
  { name: 'Audit', description: 'Recorded evaluations, seen again and computed again.' },
  { name: 'Analysis', description: 'Questions over many evaluations.' },
  { name: 'Front ends', description: 'What browsers and apps send by themselves.' },
  { name: 'Authoring', description: 'Rules, recipes and flows.' },
  {
    name: 'Verification management',
    description: 'Phone lists, sender IDs and templates of the account.',
  },
  { name: 'Session management', description: 'Applications of the account.' },
  { name: 'Operator', description: 'Accounts, tokens, managed rules and the installation.' },
  { name: 'Health', description: 'How the service is.' },
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

/** Bodies that are not JSON, by their types; one that is not text has no schema. */
function othersOf(types: Route['bodyTypes']): object {
  const contents = Object.entries(types).map(([type, example]) => [
    type,
    example === undefined ? {} : { schema: { type: 'string' }, example },
  ])
  return Object.fromEntries(contents)
}

function bodyOf({ route, example }: Described, components: Components): object {
  const { bodySchema, bodyTypes, mayLackBody } = route
  if (!bodySchema && Object.keys(bodyTypes).length === 0) return {}
  const json =
    bodySchema && contentOf({ schema: bodySchema, example: example?.request }, components)
  return { requestBody: { required: !mayLackBody, content: { ...json, ...othersOf(bodyTypes) } } }
}

function operationOf({ route, example }: Described, components: Components): object {
  const { operationId, summary, tag, admits } = route
  return {
    operationId,
    summary,
    description: admissionSentence(admits),
    tags: [tag],
    security: securityOf(admits),
    parameters: parametersOf(route, example?.parameters),
    ...bodyOf({ route, example }, components),
    responses: responsesOf({ route, example }, components),
  }
}
