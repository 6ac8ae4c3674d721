/** Declares the routes for reads, writes, deletion and versions of a rule, recipe or flow. */

import {
  createResource,
  deleteResource,
  type Rulebook,
  replaceResource,
  restoreResource,
} from '../../commands/rulebook/resources.ts'
import { idPrefixes } from '../../domain/ids.ts'
import { findResource, listResources, listVersions } from '../../queries/rulebook/resources.ts'
import { removed, seen, seenPage, tagged } from '../request/answer.ts'
import { schemaBody } from '../request/body/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { askingQuery, pageQuery } from '../request/queryReader.ts'
import type { Route } from '../request/route.ts'
import {
  collection,
  item,
  type RoutedResource,
  savedAnswer,
  title,
  unchangedAnswer,
} from './routedResource.ts'

/** The routes of one resource. */
export function resourceRoutes<Input, Of extends Rulebook>(
  resource: RoutedResource<Input, Of>,
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

function listRoute<Input, Of extends Rulebook>(resource: RoutedResource<Input, Of>): Route {
  const { context, of, plural, kind } = resource
  const { listId = `list${title(kind.noun)}s` } = resource
  return defineRoute({
    ...collection(resource),
    method: 'GET',
    operationId: listId,
    summary: `List ${kind.noun}s in the order of creation`,
    kind: 'read',
    query: pageQuery,
    answers: { 200: { description: `A page of ${kind.noun}s.`, schema: resource.schemas.page } },
    failures: ['invalid_request', ...resource.failures],
    serve: async ({ call, query }) =>
      seenPage(plural, await listResources(context, call, { of, ...query })),
  })
}

function createRoute<Input, Of extends Rulebook>(resource: RoutedResource<Input, Of>): Route {
  return defineRoute({
    ...collection(resource),
    method: 'POST',
    operationId: `create${title(resource.kind.noun)}`,
    summary: `Create a ${resource.kind.noun}`,
    kind: 'write',
    body: schemaBody(resource.schemas.input),
    answers: {
      201: { description: `The new ${resource.kind.noun}.`, schema: resource.schemas.saved },
    },
    failures: ['conflict', ...resource.failures, ...resource.writeFailures],
    entity: 'tagged',
    serve: async ({ call, body }) =>
      savedAnswer(
        201,
        await createResource(resource.context, call, { kind: resource.kind, input: body }),
      ),
  })
}

function getRoute<Input, Of extends Rulebook>(resource: RoutedResource<Input, Of>): Route {
  return defineRoute({
    ...item(resource),
    method: 'GET',
    operationId: `get${title(resource.kind.noun)}`,
    summary: `Retrieve a ${resource.kind.noun}`,
    kind: 'read',
    query: askingQuery,
    entity: 'tagged',
    answers: {
      200: { description: `The ${resource.kind.noun}.`, schema: resource.schemas.view },
      304: unchangedAnswer,
    },
    failures: ['invalid_request', ...resource.failures],
    serve: async ({ call, ids, query }) =>
      tagged(
        seen(await findResource(resource.context, call, { of: resource.of, id: ids.id, ...query })),
      ),
  })
}

function replaceRoute<Input, Of extends Rulebook>(resource: RoutedResource<Input, Of>): Route {
  return defineRoute({
    ...item(resource),
    method: 'PUT',
    operationId: `replace${title(resource.kind.noun)}`,
    summary: `Replace a ${resource.kind.noun} by a new version`,
    kind: 'write',
    body: schemaBody(resource.schemas.input),
    answers: { 200: { description: 'The new version.', schema: resource.schemas.saved } },
    failures: ['conflict', ...resource.failures, ...resource.writeFailures],
    entity: 'both',
    serve: async ({ call, ids, body }) =>
      savedAnswer(
        200,
        await replaceResource(resource.context, call, {
          kind: resource.kind,
          id: ids.id,
          input: body,
        }),
      ),
  })
}

function removeRoute<Input, Of extends Rulebook>(resource: RoutedResource<Input, Of>): Route {
  return defineRoute({
    ...item(resource),
    method: 'DELETE',
    operationId: `delete${title(resource.kind.noun)}`,
    summary: `Delete a ${resource.kind.noun}; idempotent`,
    kind: 'write',
    answers: { 204: { description: `The ${resource.kind.noun} is deleted.` } },
    failures: ['invalid_request', 'conflict', ...resource.failures, ...resource.removeFailures],
    entity: 'guarded',
    serve: async ({ call, ids }) =>
      removed(await deleteResource(resource.context, call, { kind: resource.kind, id: ids.id })),
  })
}

/** `…/{id}/versions` and `…/{id}/versions/{version_id}/restore`. */
function versionRoutes<Input, Of extends Rulebook>(
  resource: RoutedResource<Input, Of>,
): readonly Route[] {
  return [listVersionsRoute(resource), restoreRoute(resource)]
}

function listVersionsRoute<Input, Of extends Rulebook>(resource: RoutedResource<Input, Of>): Route {
  const common = item(resource)
  return defineRoute({
    ...common,
    method: 'GET',
    path: `${common.path}/versions`,
    operationId: `list${title(resource.kind.noun)}Versions`,
    summary: `List the changes of a ${resource.kind.noun} with their versions, newest first; also after its deletion`,
    kind: 'read',
    query: pageQuery,
    answers: {
      200: {
        description: 'A page of changes, each with the version that was current from then on.',
        schema: resource.schemas.versions,
      },
    },
    failures: ['invalid_request', ...resource.failures],
    serve: async ({ call, ids, query }) =>
      seenPage(
        'versions',
        await listVersions(resource.context, call, {
          of: resource.of,
          id: ids.id,
          ...query,
        }),
      ),
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
