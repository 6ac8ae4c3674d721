/** The routes of what is kept in versions: all of it is listed, made, read, replaced and removed alike. */

import type { Principal } from '../../domain/principal.ts'
import { removed, seen, tagged, written } from '../request/answer.ts'
import { noBody, schemaBody } from '../request/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { askingQuery, noQuery, pageQuery } from '../request/queryReader.ts'
import type { Route } from '../request/route.ts'
import { collection, item, type ShelfDoor, title, unchangedAnswer } from './shelfDoor.ts'
import { versionRoutes } from './versionRoutes.ts'

/** The routes of one shelf. */
export function shelfRoutes<Input, View extends object, Caller extends Principal>(
  door: ShelfDoor<Input, View, Caller>,
): readonly Route[] {
  return [
    listRoute(door),
    createRoute(door),
    getRoute(door),
    replaceRoute(door),
    removeRoute(door),
    ...versionRoutes(door),
  ]
}

function listRoute<Input, View, Caller extends Principal>(
  door: ShelfDoor<Input, View, Caller>,
): Route {
  const { noun, plural, listId = `list${title(noun)}s` } = door
  return defineRoute({
    ...collection(door),
    method: 'GET',
    operationId: listId,
    summary: `List ${noun}s`,
    kind: 'read',
    query: pageQuery,
    body: noBody,
    answers: { 200: { description: `A page of ${noun}s.`, schema: door.schemas.page } },
    failures: ['invalid_request', ...door.failures],
    serve: async ({ call, query }) => {
      const { value, position } = await door.shelf.list(call, query)
      const { items, nextCursor } = value
      return seen({ value: { [plural]: items, next_cursor: nextCursor }, position })
    },
  })
}

function createRoute<Input, View extends object, Caller extends Principal>(
  door: ShelfDoor<Input, View, Caller>,
): Route {
  return defineRoute({
    ...collection(door),
    method: 'POST',
    operationId: `create${title(door.noun)}`,
    summary: `Create a ${door.noun}`,
    kind: 'write',
    query: noQuery,
    body: schemaBody<Input>(door.schemas.input),
    answers: { 201: { description: `The new ${door.noun}.`, schema: door.schemas.view } },
    failures: ['conflict', ...door.failures, ...door.writeFailures],
    entity: 'tagged',
    serve: async ({ call, body }) => tagged(written(201, await door.shelf.create(call, body))),
  })
}

function getRoute<Input, View extends object, Caller extends Principal>(
  door: ShelfDoor<Input, View, Caller>,
): Route {
  return defineRoute({
    ...item(door),
    method: 'GET',
    operationId: `get${title(door.noun)}`,
    summary: `Retrieve a ${door.noun}`,
    kind: 'read',
    query: askingQuery,
    body: noBody,
    entity: 'tagged',
    answers: {
      200: { description: `The ${door.noun}.`, schema: door.schemas.view },
      304: unchangedAnswer,
    },
    failures: ['invalid_request', ...door.failures],
    serve: async ({ call, ids, query }) => tagged(seen(await door.shelf.get(call, ids.id, query))),
  })
}

function replaceRoute<Input, View extends object, Caller extends Principal>(
  door: ShelfDoor<Input, View, Caller>,
): Route {
  return defineRoute({
    ...item(door),
    method: 'PUT',
    operationId: `replace${title(door.noun)}`,
    summary: `Replace a ${door.noun} by a new version`,
    kind: 'write',
    query: noQuery,
    body: schemaBody<Input>(door.schemas.input),
    answers: { 200: { description: 'The new version.', schema: door.schemas.view } },
    failures: ['conflict', ...door.failures, ...door.writeFailures],
    entity: 'both',
    serve: async ({ call, ids, body }) =>
      tagged(written(200, await door.shelf.replace(call, ids.id, body))),
  })
}

function removeRoute<Input, View, Caller extends Principal>(
  door: ShelfDoor<Input, View, Caller>,
): Route {
  return defineRoute({
    ...item(door),
    method: 'DELETE',
    operationId: `delete${title(door.noun)}`,
    summary: `Delete a ${door.noun}; one that is gone already is no error`,
    kind: 'write',
    query: noQuery,
    body: noBody,
    answers: { 204: { description: `The ${door.noun} is gone.` } },
    failures: ['invalid_request', 'conflict', ...door.failures, ...door.removeFailures],
    entity: 'guarded',
    serve: async ({ call, ids }) => removed(await door.shelf.remove(call, ids.id)),
  })
}
