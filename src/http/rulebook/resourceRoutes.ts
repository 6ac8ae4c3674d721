/** The routes of versioned resources: all are listed, made, read, replaced and removed alike. */

import type { Principal } from '../../domain/principal.ts'
import { removed, seen, tagged } from '../request/answer.ts'
import { noBody, schemaBody } from '../request/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { askingQuery, noQuery, pageQuery } from '../request/queryReader.ts'
import type { Route } from '../request/route.ts'
import { collection, item, type RoutedResource, title, unchangedAnswer } from './routedResource.ts'
import { savedAnswer } from './savedAnswer.ts'
import { versionRoutes } from './versionRoutes.ts'

/** The routes of one resource. */
export function resourceRoutes<Input, View extends object, Caller extends Principal>(
  resource: RoutedResource<Input, View, Caller>,
): readonly Route[] {
  return [
    listRoute(resource),
    createRoute(resource),
    getRoute(resource),
    replaceRoute(resource),
    removeRoute(resource),
    ...versionRoutes(resource),
  ]
}

function listRoute<Input, View, Caller extends Principal>(
  resource: RoutedResource<Input, View, Caller>,
): Route {
  const { noun, plural, listId = `list${title(noun)}s` } = resource
  return defineRoute({
    ...collection(resource),
    method: 'GET',
    operationId: listId,
    summary: `List ${noun}s, in the order they were made`,
    kind: 'read',
    query: pageQuery,
    body: noBody,
    answers: { 200: { description: `A page of ${noun}s.`, schema: resource.schemas.page } },
    failures: ['invalid_request', ...resource.failures],
    serve: async ({ call, query }) => {
      const { value, position } = await resource.resource.list(call, query)
      const { items, nextCursor } = value
      return seen({ value: { [plural]: items, next_cursor: nextCursor }, position })
    },
  })
}

function createRoute<Input, View extends object, Caller extends Principal>(
  resource: RoutedResource<Input, View, Caller>,
): Route {
  return defineRoute({
    ...collection(resource),
    method: 'POST',
    operationId: `create${title(resource.noun)}`,
    summary: `Create a ${resource.noun}`,
    kind: 'write',
    query: noQuery,
    body: schemaBody<Input>(resource.schemas.input),
    answers: { 201: { description: `The new ${resource.noun}.`, schema: resource.schemas.saved } },
    failures: ['conflict', ...resource.failures, ...resource.writeFailures],
    entity: 'tagged',
    serve: async ({ call, body }) => savedAnswer(201, await resource.resource.create(call, body)),
  })
}

function getRoute<Input, View extends object, Caller extends Principal>(
  resource: RoutedResource<Input, View, Caller>,
): Route {
  return defineRoute({
    ...item(resource),
    method: 'GET',
    operationId: `get${title(resource.noun)}`,
    summary: `Retrieve a ${resource.noun}`,
    kind: 'read',
    query: askingQuery,
    body: noBody,
    entity: 'tagged',
    answers: {
      200: { description: `The ${resource.noun}.`, schema: resource.schemas.view },
      304: unchangedAnswer,
    },
    failures: ['invalid_request', ...resource.failures],
    serve: async ({ call, ids, query }) =>
      tagged(seen(await resource.resource.get(call, ids.id, query))),
  })
}

function replaceRoute<Input, View extends object, Caller extends Principal>(
  resource: RoutedResource<Input, View, Caller>,
): Route {
  return defineRoute({
    ...item(resource),
    method: 'PUT',
    operationId: `replace${title(resource.noun)}`,
    summary: `Replace a ${resource.noun} by a new version`,
    kind: 'write',
    query: noQuery,
    body: schemaBody<Input>(resource.schemas.input),
    answers: { 200: { description: 'The new version.', schema: resource.schemas.saved } },
    failures: ['conflict', ...resource.failures, ...resource.writeFailures],
    entity: 'both',
    serve: async ({ call, ids, body }) =>
      savedAnswer(200, await resource.resource.replace(call, ids.id, body)),
  })
}

function removeRoute<Input, View, Caller extends Principal>(
  resource: RoutedResource<Input, View, Caller>,
): Route {
  return defineRoute({
    ...item(resource),
    method: 'DELETE',
    operationId: `delete${title(resource.noun)}`,
    summary: `Delete a ${resource.noun}; one that is gone already is no error`,
    kind: 'write',
    query: noQuery,
    body: noBody,
    answers: { 204: { description: `The ${resource.noun} is gone.` } },
    failures: ['invalid_request', 'conflict', ...resource.failures, ...resource.removeFailures],
    entity: 'guarded',
    serve: async ({ call, ids }) => removed(await resource.resource.remove(call, ids.id)),
  })
}
