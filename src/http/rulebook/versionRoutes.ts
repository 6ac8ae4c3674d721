/** Routes the versions of a resource: they are listed, and made current again. */

import { type Rulebook, restoreResource } from '../../commands/rulebook/resources.ts'
import { idPrefixes } from '../../domain/ids.ts'
import { listVersions } from '../../queries/rulebook/resources.ts'
import { seen } from '../request/answer.ts'
import { noBody } from '../request/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { noQuery, pageQuery } from '../request/queryReader.ts'
import type { Route } from '../request/route.ts'
import { item, type RoutedResource, title } from './routedResource.ts'
import { savedAnswer } from './savedAnswer.ts'

/** `…/{id}/versions` and `…/{id}/versions/{version_id}/restore`. */
export function versionRoutes<Input, Of extends Rulebook>(
  resource: RoutedResource<Input, Of>,
): readonly Route[] {
  return [listRoute(resource), restoreRoute(resource)]
}

function listRoute<Input, Of extends Rulebook>(resource: RoutedResource<Input, Of>): Route {
  const common = item(resource)
  return defineRoute({
    ...common,
    method: 'GET',
    path: `${common.path}/versions`,
    operationId: `list${title(resource.kind.noun)}Versions`,
    summary: `List the changes of a ${resource.kind.noun} with their versions, newest first, also of a deleted one`,
    kind: 'read',
    query: pageQuery,
    body: noBody,
    answers: {
      200: {
        description: 'A page of changes, each with the version that stood from it on.',
        schema: resource.schemas.versions,
      },
    },
    failures: ['invalid_request', ...resource.failures],
    serve: async ({ call, ids, query }) => {
      const { value, position } = await listVersions(resource.context, call, {
        of: resource.of,
        id: ids.id,
        ...query,
      })
      const { items, nextCursor } = value
      return seen({ value: { versions: items, next_cursor: nextCursor }, position })
    },
  })
}

function restoreRoute<Input, Of extends Rulebook>(resource: RoutedResource<Input, Of>): Route {
  const common = item(resource)
  return defineRoute({
    ...common,
    method: 'POST',
    path: `${common.path}/versions/{version_id}/restore`,
    operationId: `restore${title(resource.kind.noun)}Version`,
    summary: `Make an earlier version of a ${resource.kind.noun} current again`,
    kind: 'write',
    entity: 'both',
    ids: { ...common.ids, version_id: idPrefixes.version },
    query: noQuery,
    body: noBody,
    answers: {
      200: {
        description: `The ${resource.kind.noun} as it is now.`,
        schema: resource.schemas.saved,
      },
    },
    failures: ['conflict', ...resource.failures, ...resource.writeFailures],
    serve: async ({ call, ids }) =>
      savedAnswer(
        200,
        await restoreResource(resource.context, call, {
          kind: resource.kind,
          id: ids.id,
          versionId: ids.version_id,
        }),
      ),
  })
}
