/** The versions of what is kept: listed, and made current again. */

import { idPrefixes } from '../../domain/ids.ts'
import type { Principal } from '../../domain/principal.ts'
import { seen, tagged, written } from '../request/answer.ts'
import { noBody } from '../request/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { noQuery, pageQuery } from '../request/queryReader.ts'
import type { Route } from '../request/route.ts'
import { item, type ShelfDoor, title } from './shelfDoor.ts'

/** `…/{id}/versions` and `…/{id}/versions/{version_id}/restore`. */
export function versionRoutes<Input, View extends object, Caller extends Principal>(
  door: ShelfDoor<Input, View, Caller>,
): readonly Route[] {
  return [listRoute(door), restoreRoute(door)]
}

function listRoute<Input, View, Caller extends Principal>(
  door: ShelfDoor<Input, View, Caller>,
): Route {
  const common = item(door)
  return defineRoute({
    ...common,
    method: 'GET',
    path: `${common.path}/versions`,
    operationId: `list${title(door.noun)}Versions`,
    summary: `List the versions of a ${door.noun}, newest first`,
    kind: 'read',
    query: pageQuery,
    body: noBody,
    answers: { 200: { description: 'A page of versions.', schema: door.schemas.versions } },
    failures: ['invalid_request', ...door.failures],
    serve: async ({ call, ids, query }) => {
      const { value, position } = await door.shelf.versions(call, ids.id, query)
      const { items, nextCursor } = value
      return seen({ value: { versions: items, next_cursor: nextCursor }, position })
    },
  })
}

function restoreRoute<Input, View extends object, Caller extends Principal>(
  door: ShelfDoor<Input, View, Caller>,
): Route {
  const common = item(door)
  return defineRoute({
    ...common,
    method: 'POST',
    path: `${common.path}/versions/{version_id}/restore`,
    operationId: `restore${title(door.noun)}Version`,
    summary: `Make an earlier version of a ${door.noun} current again`,
    kind: 'write',
    entity: 'both',
    ids: { ...common.ids, version_id: idPrefixes.version },
    query: noQuery,
    body: noBody,
    answers: { 200: { description: `The ${door.noun} as it is now.`, schema: door.schemas.view } },
    failures: ['conflict', ...door.failures, ...door.writeFailures],
    serve: async ({ call, ids }) =>
      tagged(written(200, await door.shelf.restore(call, ids.id, ids.version_id))),
  })
}
