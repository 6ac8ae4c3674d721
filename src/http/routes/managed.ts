/** Managed rules and recipes: kept by the operator, listed for customers. */

import type { FailureCode } from '../../domain/failure.ts'
import { type IdPrefix, idPrefixes } from '../../domain/ids.ts'
import type { Call, ManagedShelf, Page, PageRequest, Seen, Service } from '../../service.ts'
import { accountAccess, operatorAccess } from '../access.ts'
import { removed, seen, written } from '../answer.ts'
import { noBody, schemaBody } from '../bodyReader.ts'
import { defineRoute } from '../defineRoute.ts'
import { askingQuery, noQuery, pageQuery } from '../queryReader.ts'
import type { Route } from '../route.ts'
import {
  type ManagedSchemas,
  managedRecipeSchemas,
  managedRuleSchemas,
} from '../schemas/managed.ts'
import { capital } from './shelfDoor.ts'

interface ManagedDoor<Input, View> {
  readonly authenticate: Service['authenticate']
  readonly shelf: ManagedShelf<Input, View>
  readonly offered: (call: Call, page: PageRequest) => Promise<Seen<Page<object>>>
  readonly schemas: ManagedSchemas
  readonly noun: 'rule' | 'recipe'
  readonly prefix: IdPrefix
  readonly writeFailures: readonly FailureCode[]
}

/** `/v2/operator/managed/{rules|recipes}`, and `…/managed` of the customers' shelves; before the routes of those, whose ids they would be. */
export function managedRoutes({ authenticate, managed }: Service): readonly Route[] {
  return [
    ...routesOf({
      authenticate,
      shelf: managed.rules,
      offered: managed.offeredRules,
      schemas: managedRuleSchemas,
      noun: 'rule',
      prefix: idPrefixes.rule,
      writeFailures: ['invalid_rule'],
    }),
    ...routesOf({
      authenticate,
      shelf: managed.recipes,
      offered: managed.offeredRecipes,
      schemas: managedRecipeSchemas,
      noun: 'recipe',
      prefix: idPrefixes.recipe,
      writeFailures: [],
    }),
  ]
}

function routesOf<Input, View extends object>(door: ManagedDoor<Input, View>): readonly Route[] {
  return [
    offeredRoute(door),
    listRoute(door),
    createRoute(door),
    getRoute(door),
    replaceRoute(door),
    removeRoute(door),
  ]
}

function offeredRoute<Input, View>({
  authenticate,
  noun,
  ...door
}: ManagedDoor<Input, View>): Route {
  return defineRoute({
    method: 'GET',
    path: `/v2/watch/management/${noun}s/managed`,
    operationId: `listManaged${capital(noun)}s`,
    summary: `List the managed ${noun}s that recipes may use`,
    tag: 'Authoring',
    kind: 'read',
    access: accountAccess(authenticate, 'author'),
    ids: {},
    query: pageQuery,
    body: noBody,
    answers: {
      200: { description: `A page of managed ${noun}s.`, schema: door.schemas.offeredPage },
    },
    failures: ['invalid_request', 'access_not_enabled'],
    serve: async ({ call, query }) => pageOf(noun, await door.offered(call, query)),
  })
}

function listRoute<Input, View>(door: ManagedDoor<Input, View>): Route {
  return defineRoute({
    ...collection(door),
    method: 'GET',
    operationId: `listOperator${capital(door.noun)}s`,
    summary: `List managed ${door.noun}s whole`,
    kind: 'read',
    query: pageQuery,
    body: noBody,
    answers: {
      200: { description: `A page of managed ${door.noun}s.`, schema: door.schemas.page },
    },
    failures: ['invalid_request'],
    serve: async ({ call, query }) => pageOf(door.noun, await door.shelf.list(call, query)),
  })
}

function createRoute<Input, View extends object>(door: ManagedDoor<Input, View>): Route {
  return defineRoute({
    ...collection(door),
    method: 'POST',
    operationId: `createManaged${capital(door.noun)}`,
    summary: `Create a managed ${door.noun}`,
    kind: 'write',
    query: noQuery,
    body: schemaBody<Input>(door.schemas.input),
    answers: { 201: { description: `The managed ${door.noun}.`, schema: door.schemas.view } },
    failures: ['conflict', ...door.writeFailures],
    serve: async ({ call, body }) => written(201, await door.shelf.create(call, body)),
  })
}

function getRoute<Input, View extends object>(door: ManagedDoor<Input, View>): Route {
  return defineRoute({
    ...item(door),
    method: 'GET',
    operationId: `getManaged${capital(door.noun)}`,
    summary: `Retrieve a managed ${door.noun}`,
    kind: 'read',
    query: askingQuery,
    body: noBody,
    answers: { 200: { description: `The managed ${door.noun}.`, schema: door.schemas.view } },
    failures: ['invalid_request'],
    serve: async ({ call, ids, query }) => seen(await door.shelf.get(call, ids.id, query)),
  })
}

function replaceRoute<Input, View extends object>(door: ManagedDoor<Input, View>): Route {
  return defineRoute({
    ...item(door),
    method: 'PUT',
    operationId: `replaceManaged${capital(door.noun)}`,
    summary: `Replace a managed ${door.noun}: every recipe with it runs the new version`,
    kind: 'write',
    query: noQuery,
    body: schemaBody<Input>(door.schemas.input),
    answers: { 200: { description: 'The new version.', schema: door.schemas.view } },
    failures: ['conflict', ...door.writeFailures],
    serve: async ({ call, ids, body }) =>
      written(200, await door.shelf.replace(call, ids.id, body)),
  })
}

function removeRoute<Input, View>(door: ManagedDoor<Input, View>): Route {
  return defineRoute({
    ...item(door),
    method: 'DELETE',
    operationId: `deleteManaged${capital(door.noun)}`,
    summary: `Delete a managed ${door.noun}; one that is gone already is no error`,
    kind: 'write',
    query: noQuery,
    body: noBody,
    answers: { 204: { description: `The managed ${door.noun} is gone.` } },
    failures: ['invalid_request', 'conflict', `${door.noun}_in_use`],
    serve: async ({ call, ids }) => removed(await door.shelf.remove(call, ids.id)),
  })
}

function pageOf(
  noun: string,
  { value: { items, nextCursor }, position }: Seen<Page<unknown>>,
): ReturnType<typeof seen> {
  return seen({ value: { [`${noun}s`]: items, next_cursor: nextCursor }, position })
}

function collection<Input, View>({ authenticate, noun }: ManagedDoor<Input, View>) {
  return {
    path: `/v2/operator/managed/${noun}s`,
    tag: 'Operator',
    access: operatorAccess(authenticate),
    ids: {},
  }
}

function item<Input, View>(door: ManagedDoor<Input, View>) {
  return {
    ...collection(door),
    path: `/v2/operator/managed/${door.noun}s/{id}`,
    ids: { id: door.prefix },
  }
}
