/** The routes of what authors keep: rules, recipes and flows are listed, made, read, replaced and removed alike. */

import { removed, seen, tagged, written } from '../answer.ts'
import { noBody, schemaBody } from '../bodyReader.ts'
import { defineRoute } from '../defineRoute.ts'
import { askingQuery, noQuery, pageQuery } from '../queryReader.ts'
import type { Route } from '../route.ts'
import { capital, collection, item, type ShelfDoor, unchangedAnswer } from './shelfDoor.ts'
import { versionRoutes } from './shelfVersions.ts'

/** The routes of one shelf, all for the scope `author`. */
export function shelfRoutes<Input, View extends object>(
  door: ShelfDoor<Input, View>,
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

function listRoute<Input, View>(door: ShelfDoor<Input, View>): Route {
  const plural = `${door.noun}s`
  return defineRoute({
    ...collection(door),
    method: 'GET',
    operationId: `list${capital(plural)}`,
    summary: `List ${plural}`,
    kind: 'read',
    query: pageQuery,
    body: noBody,
    answers: { 200: { description: `A page of ${plural}.`, schema: door.schemas.page } },
    failures: ['invalid_request', 'access_not_enabled'],
    serve: async ({ call, query }) => {
      const { value, position } = await door.shelf.list(call, query)
      const { items, nextCursor } = value
      return seen({ value: { [plural]: items, next_cursor: nextCursor }, position })
    },
  })
}

function createRoute<Input, View extends object>(door: ShelfDoor<Input, View>): Route {
  return defineRoute({
    ...collection(door),
    method: 'POST',
    operationId: `create${capital(door.noun)}`,
    summary: `Create a ${door.noun}`,
    kind: 'write',
    query: noQuery,
    body: schemaBody<Input>(door.schemas.input),
    answers: { 201: { description: `The new ${door.noun}.`, schema: door.schemas.view } },
    failures: ['access_not_enabled', 'conflict', ...door.writeFailures],
    entity: 'tagged',
    serve: async ({ call, body }) => tagged(written(201, await door.shelf.create(call, body))),
  })
}

function getRoute<Input, View extends object>(door: ShelfDoor<Input, View>): Route {
  return defineRoute({
    ...item(door),
    method: 'GET',
    operationId: `get${capital(door.noun)}`,
    summary: `Retrieve a ${door.noun}`,
    kind: 'read',
    query: askingQuery,
    body: noBody,
    entity: 'tagged',
    answers: {
      200: { description: `The ${door.noun}.`, schema: door.schemas.view },
      304: unchangedAnswer,
    },
    failures: ['invalid_request', 'access_not_enabled'],
    serve: async ({ call, ids, query }) => tagged(seen(await door.shelf.get(call, ids.id, query))),
  })
}

function replaceRoute<Input, View extends object>(door: ShelfDoor<Input, View>): Route {
  return defineRoute({
    ...item(door),
    method: 'PUT',
    operationId: `replace${capital(door.noun)}`,
    summary: `Replace a ${door.noun} by a new version`,
    kind: 'write',
    query: noQuery,
    body: schemaBody<Input>(door.schemas.input),
    answers: { 200: { description: 'The new version.', schema: door.schemas.view } },
    failures: ['access_not_enabled', 'conflict', ...door.writeFailures],
    entity: 'both',
    serve: async ({ call, ids, body }) =>
      tagged(written(200, await door.shelf.replace(call, ids.id, body))),
  })
}

function removeRoute<Input, View>(door: ShelfDoor<Input, View>): Route {
  return defineRoute({
    ...item(door),
    method: 'DELETE',
    operationId: `delete${capital(door.noun)}`,
    summary: `Delete a ${door.noun}; one that is gone already is no error`,
    kind: 'write',
    query: noQuery,
    body: noBody,
    answers: { 204: { description: `The ${door.noun} is gone.` } },
    failures: ['invalid_request', 'access_not_enabled', 'conflict', ...door.removeFailures],
    entity: 'guarded',
    serve: async ({ call, ids }) => removed(await door.shelf.remove(call, ids.id)),
  })
}
