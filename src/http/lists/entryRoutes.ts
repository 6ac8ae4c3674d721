/** Declares the routes for list entries: add, remove, list, and the history of one entry. */

import { addEntry, removeEntry } from '../../commands/lists/changeListEntries.ts'
import type { WriteResult } from '../../domain/call.ts'
import { normalizeStoredIdentifier } from '../../domain/sessions/userIdentifiers.ts'
import { type EntryView, listAllEntries, listEntries } from '../../queries/lists/entries.ts'
import { listEntryHistory } from '../../queries/lists/entryHistory.ts'
import { type Answer, pageAnswer } from '../request/answer.ts'
import { schemaBody } from '../request/body/bodyReader.ts'
import { buildQueryReader, optionalPageQuery, pageParameters } from '../request/queryReader.ts'
import { defineRoute, type Route } from '../request/route.ts'
import {
  type EntryBody,
  type EntryForm,
  findListedPersons,
  readEntryInput,
  readListId,
  renderEntries,
  renderEntry,
} from './entryForm.ts'
import { importExportRoutes } from './importExportRoutes.ts'
import type { ListLimits } from './listLimits.ts'

export function entryRoutes(form: EntryForm, limits: ListLimits): readonly Route[] {
  return [
    ...changeRoutes(form),
    listRoute(form, limits),
    historyRoute(form),
    ...importExportRoutes(form, limits),
  ]
}

function changeRoutes(form: EntryForm): readonly Route[] {
  const { common, title, words, schemas } = form
  const change = { ...common, failures: [...form.failures, 'conflict'] } as const
  return [
    defineRoute({
      ...change,
      method: 'POST',
      operationId: `add${title.one}`,
      summary: `Add ${words.one} to a list; idempotent`,
      body: schemaBody<EntryBody>(schemas.input),
      answers: { 201: { description: 'It stands on the list.', schema: schemas.listed } },
      serve: async ({ context, call, ids, body }) => {
        const input = { list: readListId(ids), ...readEntryInput(form, body) }
        return toChangeAnswer(form, await addEntry(context, call, input))
      },
    }),
    defineRoute({
      ...change,
      method: 'DELETE',
      operationId: `delete${title.one}`,
      summary: `Remove ${words.one} from a list; idempotent`,
      body: schemaBody<EntryBody>(schemas.deletion),
      answers: { 202: { description: 'It is not on the list.', schema: schemas.listed } },
      serve: async ({ context, call, ids, body }) => {
        const input = { list: readListId(ids), ...readEntryInput(form, body) }
        return toChangeAnswer(form, await removeEntry(context, call, input))
      },
    }),
  ]
}

function toChangeAnswer(form: EntryForm, { value, ...made }: WriteResult<object>): Answer {
  return { ...made, value: renderEntry(form, value) }
}

function listRoute(form: EntryForm, { longAnswers }: ListLimits): Route {
  const { title, words, schemas } = form
  return defineRoute({
    ...form.common,
    access: form.valueAccess,
    method: 'GET',
    operationId: `list${title.many}`,
    summary: `List the ${words.many} of a list in the order of addition: all, or a page`,
    query: optionalPageQuery,
    answers: { 200: { description: 'The entries.', schema: schemas.page } },
    serve: async ({ context, call, ids, query: { limit, ...query } }) => {
      const request = { list: readListId(ids), ...query }
      if (limit === undefined) {
        const pages = await listAllEntries(context, call, request)
        return answerWholeList(form, pages, () => longAnswers(call.principal.accountId))
      }
      const page = await listEntries(context, call, { ...request, limit })
      const persons = findListedPersons(page.items.map(({ value }) => value))
      const items = renderEntries(form, page.items)
      return { ...(await pageAnswer(form.plural, { ...page, items })), persons }
    },
  })
}

function historyRoute(form: EntryForm): Route {
  const { title, words, schemas } = form
  return defineRoute({
    ...form.common,
    method: 'GET',
    path: `${form.path}/history`,
    operationId: `list${title.one}History`,
    summary: `List the changes of ${words.one} on a list`,
    query: buildQueryReader({
      value: {
        name: form.field,
        description: form.meaning.query,
        schema: form.value,
        required: true as const,
        parse: form.decodeQueryValue,
        message: 'Must be given.',
      },
      ...pageParameters,
    }),
    answers: { 200: { description: 'The oldest first.', schema: schemas.history } },
    serve: ({ context, call, ids, query }) =>
      pageAnswer(
        'changes',
        listEntryHistory(context, call, { list: readListId(ids), ...query }),
        ({ length }) => (length === 0 ? [] : findListedPersons([canonicalValue(query.value)])),
      ),
  })
}

/** As it stands on a list of numbers or addresses. */
function canonicalValue(value: string): string {
  const type = value.includes('@') ? 'email_address' : 'phone_number'
  return normalizeStoredIdentifier({ type, value })?.value ?? value
}

/**
 * Answers a short list as one body and a long one as a streaming body. Throws `rate_limited` when the account has too
 * many long responses in progress, `unavailable` when all accounts together have.
 */
async function answerWholeList(
  form: EntryForm,
  pages: AsyncIterable<readonly EntryView[]>,
  takeSlot: () => () => void,
): Promise<Pick<Answer, 'value' | 'chunks' | 'persons'>> {
  const iterator = pages[Symbol.asyncIterator]()
  const first = await iterator.next()
  const second = await iterator.next()
  const firstPages = [first, second].flatMap(({ value, done }) => (done ? [] : [value]))
  const persons = findListedPersons(firstPages.flat().map(({ value }) => value))
  if (second.done) {
    return { value: { [form.plural]: renderEntries(form, firstPages.flat()) }, persons }
  }
  return {
    persons,
    chunks: {
      chunks: streamJsonArray(form, concatPages(firstPages, iterator)),
      onClosed: takeSlot(),
    },
  }
}

async function* concatPages<Page>(
  firstPages: readonly Page[],
  iterator: AsyncIterator<Page>,
): AsyncGenerator<Page> {
  yield* firstPages
  yield* { [Symbol.asyncIterator]: () => iterator }
}

async function* streamJsonArray(
  form: EntryForm,
  pages: AsyncIterable<readonly EntryView[]>,
): AsyncGenerator<string> {
  yield `{${JSON.stringify(form.plural)}:[`
  let separator = ''
  for await (const page of pages) {
    if (page.length === 0) continue
    // as elements of the array
    yield separator + JSON.stringify(renderEntries(form, page)).slice(1, -1)
    separator = ','
  }
  yield ']}'
}
