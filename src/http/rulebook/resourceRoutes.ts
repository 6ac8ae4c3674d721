/** Declares the routes for reads, writes, deletion and versions of a rule, recipe or flow. */

import {
  createResource,
  deleteResource,
  type Kind,
  type ResourceView,
  type Rulebook,
  replaceResource,
  restoreResource,
  type Saved,
} from '../../commands/rulebook/resources.ts'
import type { FailureCode } from '../../domain/failure.ts'
import { idPrefixes } from '../../domain/ids.ts'
import { entityTag } from '../../domain/text/entityTag.ts'
import {
  findResource,
  listResources,
  listVersions,
  type Resources,
} from '../../queries/rulebook/resources.ts'
import { type Answer, removed, seen, seenPage, tagged, written } from '../request/answer.ts'
import { schemaBody } from '../request/body/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { askingQuery, pageQuery } from '../request/queryReader.ts'
import type { Access, Route, Served } from '../request/route.ts'
import type { ResourceSchemas } from './resourceSchemas.ts'

export interface RoutedResource<Input, Of extends Rulebook> {
  readonly context: Served['context']
  readonly kind: Kind<Input, Of>
  readonly of: Resources<ResourceView, Of['caller']>
  readonly schemas: ResourceSchemas<Input>
  readonly access: Access<Of['caller']>
  readonly tag: string
  /** Of the whole collection. */
  readonly path: string
  /** `rules`: under which a page lists them. */
  readonly plural: string
  /** The operation id of the list, when it is not made of the kind's noun. */
  readonly listId?: string
  /** Of every route. */
  readonly failures: readonly FailureCode[]
  readonly writeFailures: readonly FailureCode[]
  readonly removeFailures: readonly FailureCode[]
}

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
    listVersionsRoute(resource),
    restoreRoute(resource),
  ]
}

/** The noun in an operation id: `ManagedRule` for `managed rule`. */
export function title(noun: string): string {
  return noun
    .split(' ')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
}

function collection<Input, Of extends Rulebook>(resource: RoutedResource<Input, Of>) {
  const { path, tag, access } = resource
  return { path, tag, access, ids: {} }
}

function item<Input, Of extends Rulebook>({ path, tag, access, kind }: RoutedResource<Input, Of>) {
  return { path: `${path}/{id}`, tag, access, ids: { id: kind.prefix } }
}

function listRoute<Input, Of extends Rulebook>(resource: RoutedResource<Input, Of>): Route {
  const { context, of, plural, kind, schemas, failures } = resource
  return defineRoute({
    ...collection(resource),
    method: 'GET',
    operationId: resource.listId ?? `list${title(kind.noun)}s`,
    summary: `List ${kind.noun}s in the order of creation`,
    kind: 'read',
    query: pageQuery,
    answers: { 200: { description: `A page of ${kind.noun}s.`, schema: schemas.page } },
    failures: ['invalid_request', ...failures],
    serve: async ({ call, query }) =>
      seenPage(plural, await listResources(context, call, { of, ...query })),
  })
}

function createRoute<Input, Of extends Rulebook>(resource: RoutedResource<Input, Of>): Route {
  const { context, kind, schemas } = resource
  return defineRoute({
    ...collection(resource),
    method: 'POST',
    operationId: `create${title(kind.noun)}`,
    summary: `Create a ${kind.noun}`,
    kind: 'write',
    body: schemaBody(schemas.input),
    answers: { 201: { description: `The new ${kind.noun}.`, schema: schemas.saved } },
    failures: ['conflict', ...resource.failures, ...resource.writeFailures],
    entity: 'tagged',
    serve: async ({ call, body: input }) =>
      savedAnswer(201, await createResource(context, call, { kind, input })),
  })
}

function getRoute<Input, Of extends Rulebook>(resource: RoutedResource<Input, Of>): Route {
  const { context, of, kind, schemas, failures } = resource
  return defineRoute({
    ...item(resource),
    method: 'GET',
    operationId: `get${title(kind.noun)}`,
    summary: `Retrieve a ${kind.noun}`,
    kind: 'read',
    query: askingQuery,
    entity: 'tagged',
    answers: {
      200: { description: `The ${kind.noun}.`, schema: schemas.view },
      304: { description: 'Not modified.' },
    },
    failures: ['invalid_request', ...failures],
    serve: async ({ call, ids, query }) =>
      tagged(seen(await findResource(context, call, { of, id: ids.id, ...query }))),
  })
}

function replaceRoute<Input, Of extends Rulebook>(resource: RoutedResource<Input, Of>): Route {
  const { context, kind, schemas } = resource
  return defineRoute({
    ...item(resource),
    method: 'PUT',
    operationId: `replace${title(kind.noun)}`,
    summary: `Replace a ${kind.noun} by a new version`,
    kind: 'write',
    body: schemaBody(schemas.input),
    answers: { 200: { description: 'The new version.', schema: schemas.saved } },
    failures: ['conflict', ...resource.failures, ...resource.writeFailures],
    entity: 'both',
    serve: async ({ call, ids, body: input }) =>
      savedAnswer(200, await replaceResource(context, call, { kind, id: ids.id, input })),
  })
}

function removeRoute<Input, Of extends Rulebook>(resource: RoutedResource<Input, Of>): Route {
  const { context, kind, failures, removeFailures } = resource
  return defineRoute({
    ...item(resource),
    method: 'DELETE',
    operationId: `delete${title(kind.noun)}`,
    summary: `Delete a ${kind.noun}; idempotent`,
    kind: 'write',
    answers: { 204: { description: `The ${kind.noun} is deleted.` } },
    failures: ['invalid_request', 'conflict', ...failures, ...removeFailures],
    entity: 'guarded',
    serve: async ({ call, ids }) =>
      removed(await deleteResource(context, call, { kind, id: ids.id })),
  })
}

function listVersionsRoute<Input, Of extends Rulebook>(resource: RoutedResource<Input, Of>): Route {
  const { context, of, kind, schemas, failures } = resource
  const { path, ...common } = item(resource)
  return defineRoute({
    ...common,
    method: 'GET',
    path: `${path}/versions`,
    operationId: `list${title(kind.noun)}Versions`,
    summary: `List the changes of a ${kind.noun} with their versions, newest first; also after its deletion`,
    kind: 'read',
    query: pageQuery,
    answers: {
      200: {
        description: 'A page of changes, each with the version that was current from then on.',
        schema: schemas.versions,
      },
    },
    failures: ['invalid_request', ...failures],
    serve: async ({ call, ids, query }) =>
      seenPage('versions', await listVersions(context, call, { of, id: ids.id, ...query })),
  })
}

function restoreRoute<Input, Of extends Rulebook>(resource: RoutedResource<Input, Of>): Route {
  const { context, kind, schemas } = resource
  const { path, ids: itemIds, ...common } = item(resource)
  return defineRoute({
    ...common,
    method: 'POST',
    path: `${path}/versions/{version_id}/restore`,
    operationId: `restore${title(kind.noun)}Version`,
    summary: `Make an earlier version of a ${kind.noun} current again`,
    kind: 'write',
    entity: 'both',
    ids: { ...itemIds, version_id: idPrefixes.version },
    answers: { 200: { description: `The ${kind.noun} as it is now.`, schema: schemas.saved } },
    failures: ['conflict', ...resource.failures, ...resource.writeFailures],
    serve: async ({ call, ids: { id, version_id: versionId } }) =>
      savedAnswer(200, await restoreResource(context, call, { kind, id, versionId })),
  })
}

/** The response of a save, with `warnings` only if there are any. The `ETag` is always that of the resource alone. */
function savedAnswer(status: number, { warnings, ...saved }: Saved<object>): Answer {
  const { value } = saved
  const body = warnings.length === 0 ? value : { ...value, warnings }
  return { ...written(status, saved), body, etag: entityTag(value) }
}
