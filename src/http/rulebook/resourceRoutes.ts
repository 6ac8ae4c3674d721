/** Declares the routes for reads, writes, deletion and versions of a rule, recipe or flow. */

import {
  deleteResource,
  restoreResource,
  type SavedResource,
  saveResource,
} from '../../commands/rulebook/rulebookResources.ts'
import type { FailureCode } from '../../domain/failure.ts'
import { idPrefixes } from '../../domain/ids.ts'
import { entityTag } from '../../domain/text/entityTag.ts'
import {
  listResources,
  listVersions,
  type Resources,
  requireResource,
} from '../../queries/rulebook/resources.ts'
import type {
  ResourceDefinition,
  ResourceView,
  RulebookTypes,
} from '../../state/rulebook/resourceDefinition.ts'
import type { Access } from '../request/access.ts'
import { type Answer, pageAnswer, valueAnswer } from '../request/answer.ts'
import { schemaBody } from '../request/body/bodyReader.ts'
import { minPositionQuery, pageQuery } from '../request/queryReader.ts'
import { defineRoute, type Route } from '../request/route.ts'
import type { ResourceSchemas } from './resourceSchemas.ts'

interface RoutedResource<Input, Of extends RulebookTypes> {
  readonly kind: ResourceDefinition<Input, Of>
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
  readonly writeFailures?: readonly FailureCode[]
  readonly removeFailures?: readonly FailureCode[]
}

export function defineResourceRoutes<Input, Of extends RulebookTypes>(
  resource: RoutedResource<Input, Of>,
): readonly Route[] {
  return [
    ...defineCollectionRoutes(resource),
    ...defineItemRoutes(resource),
    ...defineVersionRoutes(resource),
  ]
}

/** The noun in an operation id: `ManagedRule` for `managed rule`. */
export function toPascalCase(noun: string): string {
  return noun
    .split(' ')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
}

function defineCollectionRoutes<Input, Of extends RulebookTypes>(
  resource: RoutedResource<Input, Of>,
): readonly Route[] {
  const { path, tag, access, of, kind, plural, schemas, failures, writeFailures = [] } = resource
  const { noun } = kind
  const { listId = `list${toPascalCase(noun)}s` } = resource
  return [
    defineRoute({
      path,
      tag,
      access,
      method: 'GET',
      operationId: listId,
      summary: `List ${noun}s in the order of creation`,
      query: pageQuery,
      answers: { 200: { description: `A page of ${noun}s.`, schema: schemas.page } },
      failures,
      serve: ({ context, call, query }) =>
        pageAnswer(plural, listResources(context, call, { of, ...query })),
    }),
    defineRoute({
      path,
      tag,
      access,
      method: 'POST',
      operationId: `create${toPascalCase(noun)}`,
      summary: `Create a ${noun}`,
      body: schemaBody(schemas.input),
      answers: { 201: { description: `The new ${noun}.`, schema: schemas.saved } },
      failures: ['conflict', ...failures, ...writeFailures],
      entity: 'tagged',
      serve: async ({ context, call, body }) =>
        toSavedAnswer(await saveResource(context, call, { kind, input: body })),
    }),
  ]
}

function getItemDefaults<Input, Of extends RulebookTypes>(resource: RoutedResource<Input, Of>) {
  const { path, tag, access, kind } = resource
  return { tag, access, path: `${path}/{id}`, ids: { id: kind.prefix } }
}

function defineItemRoutes<Input, Of extends RulebookTypes>(
  resource: RoutedResource<Input, Of>,
): readonly Route[] {
  const { of, kind, schemas, failures, writeFailures = [], removeFailures = [] } = resource
  const { noun } = kind
  const item = getItemDefaults(resource)
  return [
    defineRoute({
      ...item,
      method: 'GET',
      operationId: `get${toPascalCase(noun)}`,
      summary: `Retrieve a ${noun}`,
      query: minPositionQuery,
      entity: 'tagged',
      answers: {
        200: { description: `The ${noun}.`, schema: schemas.view },
        304: { description: 'Not modified.' },
      },
      failures,
      serve: ({ context, call, ids: { id }, query }) =>
        valueAnswer(requireResource(context, call, { of, id, ...query })),
    }),
    defineRoute({
      ...item,
      method: 'PUT',
      operationId: `replace${toPascalCase(noun)}`,
      summary: `Replace a ${noun} by a new version`,
      body: schemaBody(schemas.input),
      answers: { 200: { description: 'The new version.', schema: schemas.saved } },
      failures: ['conflict', ...failures, ...writeFailures],
      entity: 'both',
      serve: async ({ context, call, ids: { id }, body: input }) =>
        toSavedAnswer(await saveResource(context, call, { kind, id, input })),
    }),
    defineRoute({
      ...item,
      method: 'DELETE',
      operationId: `delete${toPascalCase(noun)}`,
      summary: `Delete a ${noun}; idempotent`,
      answers: { 204: { description: `The ${noun} is deleted.` } },
      failures: ['conflict', ...failures, ...removeFailures],
      entity: 'guarded',
      serve: ({ context, call, ids: { id } }) => deleteResource(context, call, { kind, id }),
    }),
  ]
}

/** `…/{id}/versions` and `…/{id}/versions/{version_id}/restore`. */
function defineVersionRoutes<Input, Of extends RulebookTypes>(
  resource: RoutedResource<Input, Of>,
): readonly Route[] {
  const { of, kind, schemas, failures, writeFailures = [] } = resource
  const { noun } = kind
  const item = getItemDefaults(resource)
  return [
    defineRoute({
      ...item,
      method: 'GET',
      path: `${item.path}/versions`,
      operationId: `list${toPascalCase(noun)}Versions`,
      summary: `List the changes of a ${noun} with their versions, newest first; also after its deletion`,
      query: pageQuery,
      answers: {
        200: {
          description: 'A page of changes, each with the version that was current from then on.',
          schema: schemas.versions,
        },
      },
      failures,
      serve: ({ context, call, ids: { id }, query }) =>
        pageAnswer('versions', listVersions(context, call, { of, id, ...query })),
    }),
    defineRoute({
      ...item,
      method: 'POST',
      path: `${item.path}/versions/{version_id}/restore`,
      operationId: `restore${toPascalCase(noun)}Version`,
      summary: `Make an earlier version of a ${noun} current again`,
      entity: 'both',
      ids: { ...item.ids, version_id: idPrefixes.version },
      answers: { 200: { description: `The ${noun} as it is now.`, schema: schemas.saved } },
      failures: ['conflict', ...failures, ...writeFailures],
      serve: async ({ context, call, ids: { id, version_id: versionId } }) =>
        toSavedAnswer(await restoreResource(context, call, { kind, id, versionId })),
    }),
  ]
}

/** The response of a save, with `warnings` only if there are any. The `ETag` is always that of the resource alone. */
function toSavedAnswer({ warnings, ...saved }: SavedResource<object>): Answer {
  const { value } = saved
  if (warnings.length === 0) return saved
  return { ...saved, value: { ...value, warnings }, etag: entityTag(value) }
}
