/** Declares the routes for named lists, which rules search for values, and their entries. */

import {
  changeList,
  createList,
  deleteList,
  listChangeSchema,
} from '../../commands/lists/namedLists.ts'
import { idPrefixes } from '../../domain/ids.ts'
import { pageSchema } from '../../domain/jsonSchema.ts'
import { listLists, requireList } from '../../queries/lists/namedLists.ts'
import { listInputSchema, listSchema } from '../../state/rulebook/namedListDecisions.ts'
import { accountAccess, ownScopeAccess } from '../request/access.ts'
import { pageAnswer } from '../request/answer.ts'
import { schemaBody } from '../request/body/bodyReader.ts'
import { minPositionQuery, pageQuery } from '../request/queryReader.ts'
import { defineRoute, type Route } from '../request/route.ts'
import { buildEntryForm } from './entryForm.ts'
import { entryRoutes } from './entryRoutes.ts'
import type { ListLimits } from './listLimits.ts'

const path = '/v2/watch/management/lists'

const common = {
  tag: 'Authoring',
  access: accountAccess('author'),
  failures: ['access_not_enabled'],
} as const

const item = { ...common, path: `${path}/{id}`, ids: { id: idPrefixes.list } } as const

const form = buildEntryForm({
  ...common,
  path: `${path}/{id}/entries`,
  ids: { id: idPrefixes.list },
  valueAccess: ownScopeAccess('author'),
  field: 'value',
  plural: 'entries',
  title: { one: 'ListEntry', many: 'ListEntries' },
  words: { one: 'a value', many: 'entries' },
  // what no kind lets through is refused by its name
  valueMax: 512,
  meaning: { body: "A value of the list's kind; stored in canonical form.", query: 'The value.' },
  decodeQueryValue: (text) => text,
  example: { value: 'ann@example.com', reason: 'press' },
})

const listRoutes: readonly Route[] = [
  defineRoute({
    ...common,
    path,
    method: 'GET',
    operationId: 'listLists',
    summary: 'List the named lists in the order of creation',
    query: pageQuery,
    answers: {
      200: { description: 'A page of lists.', schema: pageSchema('ListPage', 'lists', listSchema) },
    },
    serve: async ({ context, call, query }) => {
      const { value, position } = await listLists(context, call, query)
      return { position, ...(await pageAnswer('lists', value)) }
    },
  }),
  defineRoute({
    ...common,
    path,
    method: 'POST',
    operationId: 'createList',
    summary: 'Create a list that rules can ask',
    body: schemaBody(listInputSchema),
    answers: { 201: { description: 'The new list.', schema: listSchema } },
    failures: ['conflict', 'access_not_enabled'],
    serve: ({ context, call, body }) => createList(context, call, body),
  }),
  defineRoute({
    ...item,
    method: 'GET',
    operationId: 'getList',
    summary: 'Retrieve a list',
    query: minPositionQuery,
    answers: { 200: { description: 'The list.', schema: listSchema } },
    serve: ({ context, call, ids }) => requireList(context, call, ids.id),
  }),
  defineRoute({
    ...item,
    method: 'PUT',
    operationId: 'changeList',
    summary: 'Change the description of a list',
    body: schemaBody(listChangeSchema),
    answers: { 200: { description: 'The list.', schema: listSchema } },
    failures: ['conflict', 'access_not_enabled'],
    serve: ({ context, call, ids, body }) => changeList(context, call, { id: ids.id, ...body }),
  }),
  defineRoute({
    ...item,
    method: 'DELETE',
    operationId: 'deleteList',
    summary: 'Delete a list that no rule uses, with its entries',
    answers: { 204: { description: 'The list is deleted.' } },
    failures: ['conflict', 'access_not_enabled', 'list_in_use'],
    serve: ({ context, call, ids }) => deleteList(context, call, ids.id),
  }),
]

/** `/v2/watch/management/lists`. */
export function namedListRoutes(limits: ListLimits): readonly Route[] {
  return [...listRoutes, ...entryRoutes(form, limits)]
}
