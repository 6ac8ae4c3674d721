/** Declares the routes for the import and export of list entries as CSV or NDJSON. */

import { importEntries } from '../../commands/lists/importEntries.ts'
import { Failure } from '../../domain/failure.ts'
import { asEntryReason } from '../../domain/lists/lists.ts'
import { formatCsvLine } from '../../domain/text/csv.ts'
import { type EntryView, listAllEntries } from '../../queries/lists/entries.ts'
import { buildLinesBodyReader } from '../request/body/rowsBody.ts'
import {
  buildQueryReader,
  choiceParameter,
  minPositionParameter,
  numberParameter,
  withFallback,
} from '../request/queryReader.ts'
import { defineRoute, type Route } from '../request/route.ts'
import {
  type EntryForm,
  getRouteDefaults,
  readListId,
  renderEntries,
  renderEntry,
} from './entryForm.ts'
import { csvType, listCsvColumns, ndjsonType, openImportParser } from './importRows.ts'
import { type ListLimits, streamWithinLimit } from './listLimits.ts'

/** `…/import` and `…/export`. */
export function transferRoutes(form: EntryForm, limits: ListLimits): readonly Route[] {
  return [importRoute(form, limits), exportRoute(form, limits)]
}

const answerLines = { type: 'string', description: 'One JSON object per line.' } as const
const entryLines = { type: 'string', description: 'One entry per line.' } as const

/** The file of one entry, in each form. */
function exampleFiles(form: EntryForm) {
  const entry = { value: form.example.value, reason: form.example.reason }
  const columns = listCsvColumns(form)
  const ndjson = lineOf(renderEntry(form, entry))
  const csv = `${formatCsvLine(columns)}\r\n${formatCsvLine([entry.value, entry.reason, '', ''])}\r\n`
  return { ndjson, csv }
}

const sentAs = (type: string): string => `${type}; charset=utf-8`

function importRoute(form: EntryForm, { imports }: ListLimits): Route {
  const example = exampleFiles(form)
  const importLines = openImportParser(form)
  return defineRoute({
    ...getRouteDefaults(form),
    method: 'POST',
    path: `${form.path}/import`,
    kind: 'plain',
    operationId: `import${form.title.many}`,
    summary: `Import a file of ${form.words.many} into a list, line by line; can be resumed`,
    query: importQuery,
    body: buildLinesBodyReader({ [ndjsonType]: example.ndjson, [csvType]: example.csv }),
    answers: {
      200: {
        description: 'The result of each line, in order, then the totals.',
        schema: answerLines,
        contentType: ndjsonType,
      },
    },
    serve: async ({ context, call, ids, query, body }) =>
      streamWithinLimit(imports, call.principal.accountId, async () => {
        const lines = importLines(body, query.afterLine)
        const answers = await importEntries(context, call, { list: readListId(ids), lines })
        return { contentType: sentAs(ndjsonType), chunks: textsOf(answers, form) }
      }),
  })
}

function exportRoute(form: EntryForm, { longAnswers }: ListLimits): Route {
  return defineRoute({
    ...getRouteDefaults(form),
    method: 'GET',
    path: `${form.path}/export`,
    operationId: `export${form.title.many}`,
    summary: `Export the ${form.words.many} of a list as a file that can be imported`,
    query: exportQuery,
    answers: {
      200: {
        description: 'One entry per line.',
        schema: entryLines,
        contentType: ndjsonType,
        otherTypes: { [csvType]: exampleFiles(form).csv },
      },
    },
    serve: async ({ context, call, ids, query: { format, ...asking } }) =>
      streamWithinLimit(longAnswers, call.principal.accountId, async () => {
        const asked = { list: readListId(ids), ...asking }
        const { value, position } = await listAllEntries(context, call, asked)
        const pages = asTaken(value)
        const chunks = format === 'csv' ? csvOf(pages, form) : ndjsonOf(pages, form)
        const contentType = sentAs(format === 'csv' ? csvType : ndjsonType)
        return { position, contentType, chunks }
      }),
  })
}

/** What ends the import when some lines have been answered can only be told as one more of them. */
async function* textsOf(answers: AsyncIterable<object>, form: EntryForm): AsyncGenerator<string> {
  try {
    for await (const answer of answers) yield lineOf(renderEntry(form, answer))
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const { code, message, details } = error
    yield lineOf({ result: 'failed', code, message, ...(details && { details }) })
  }
}

function lineOf(value: object): string {
  return `${JSON.stringify(value)}\n`
}

type Pages = AsyncIterable<readonly EntryView[]>

/** Each entry as an import takes it. */
async function* asTaken(pages: Pages): AsyncGenerator<readonly EntryView[]> {
  for await (const page of pages) {
    yield page.map((entry) =>
      entry.reason === undefined ? entry : { ...entry, reason: asEntryReason(entry.reason) },
    )
  }
}

async function* ndjsonOf(pages: Pages, form: EntryForm): AsyncGenerator<string> {
  for await (const page of pages) {
    if (page.length > 0) yield renderEntries(form, page).map(lineOf).join('')
  }
}

async function* csvOf(pages: Pages, form: EntryForm): AsyncGenerator<string> {
  yield `${formatCsvLine(listCsvColumns(form))}\r\n`
  for await (const page of pages) {
    const lines = page.map(
      ({ value, reason = '', expires_at = '', created_at }) =>
        `${formatCsvLine([value, reason, expires_at, created_at])}\r\n`,
    )
    if (lines.length > 0) yield lines.join('')
  }
}

const importQuery = buildQueryReader({
  afterLine: {
    ...numberParameter(
      'after_line',
      'Skip the lines up to this one: the last line that an interrupted import answered.',
    ),
    fallback: 0,
  },
})

const exportQuery = buildQueryReader({
  format: withFallback(
    choiceParameter('format', ['ndjson', 'csv'], 'The form of the file.'),
    'ndjson',
  ),
  minPosition: minPositionParameter,
})
