/** The routes of what authors keep: rules, recipes and flows are listed, made, read, replaced and removed alike. */

import type { FailureCode } from '../../domain/failure.ts'
import type { IdPrefix } from '../../domain/ids.ts'
import type { Service, Shelf } from '../../service.ts'
import { accountAccess } from '../access.ts'
import { removed, seen, written } from '../answer.ts'
import { noBody, schemaBody } from '../bodyReader.ts'
import { defineRoute } from '../defineRoute.ts'
import { askingQuery, noQuery, pageQuery } from '../queryReader.ts'
import type { Route } from '../route.ts'
import type { ShelfSchemas } from '../schemas/authoring.ts'

interface ShelfDoor<Input, View> {
  readonly authenticate: Service['authenticate']
  readonly shelf: Shelf<Input, View>
  readonly schemas: ShelfSchemas
  /** `rule`: what an operation id, a summary and the parameter of the path are made of. */
  readonly noun: string
  readonly prefix: IdPrefix
  readonly writeFailures: readonly FailureCode[]
  readonly removeFailures: readonly FailureCode[]
}

/** The five routes of one shelf, all for the scope `author`. */
export function shelfRoutes<Input, View extends object>(
  door: ShelfDoor<Input, View>,
): readonly Route[] {
  return [listRoute(door), createRoute(door), getRoute(door), replaceRoute(door), removeRoute(door)]
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
    serve: async ({ call, body }) => written(201, await door.shelf.create(call, body)),
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
    answers: { 200: { description: `The ${door.noun}.`, schema: door.schemas.view } },
    failures: ['invalid_request', 'access_not_enabled'],
    serve: async ({ call, ids, query }) => seen(await door.shelf.get(call, ids.id, query)),
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
    serve: async ({ call, ids, body }) =>
      written(200, await door.shelf.replace(call, ids.id, body)),
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
    serve: async ({ call, ids }) => removed(await door.shelf.remove(call, ids.id)),
  })
}

function collection<Input, View>({ authenticate, noun }: ShelfDoor<Input, View>) {
  return {
    path: `/v2/watch/management/${noun}s`,
    tag: 'Authoring',
    access: accountAccess(authenticate, 'author'),
    ids: {},
  }
}

function item<Input, View>(door: ShelfDoor<Input, View>) {
  return {
    ...collection(door),
    path: `/v2/watch/management/${door.noun}s/{id}`,
    ids: { id: door.prefix },
  }
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
