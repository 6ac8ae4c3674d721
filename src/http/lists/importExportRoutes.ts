/** Declares the routes for the import and export of list entries as CSV or NDJSON. */

import { type ImportLine, importEntries } from '../../commands/lists/importEntries.ts'
import { Failure, invalidRequest } from '../../domain/failure.ts'
import { asEntryReason } from '../../domain/lists/lists.ts'
import { formatCsvLine, parseCsvLine } from '../../domain/text/csv.ts'
import { nameCharacter, quoteText } from '../../domain/text/quoteText.ts'
import { type EntryView, listAllEntries } from '../../queries/lists/entries.ts'
import { type BodyLines, buildLinesBodyReader } from '../request/body/rowsBody.ts'
import {
  buildQueryReader,
  choiceParameter,
  minPositionParameter,
  numberParameter,
  withFallback,
} from '../request/queryReader.ts'
import { defineRoute, type Route } from '../request/route.ts'
import { compileSchema, toFailureDetails } from '../request/schema/validator.ts'
import {
  type EntryBody,
  type EntryForm,
  readEntryInput,
  readListId,
  renderEntry,
} from './entryForm.ts'
import { type ListLimits, streamWithinLimit } from './listLimits.ts'

/** `…/import` and `…/export`. */
export function importExportRoutes(form: EntryForm, limits: ListLimits): readonly Route[] {
  return [importRoute(form, limits), exportRoute(form, limits)]
}

const csvType = 'text/csv'
const ndjsonType = 'application/x-ndjson'
const answerLines = { type: 'string', description: 'One JSON object per line.' } as const
const entryLines = { type: 'string', description: 'One entry per line.' } as const

const addCharset = (type: string): string => `${type}; charset=utf-8`

function importRoute(form: EntryForm, { imports }: ListLimits): Route {
  const { ndjson, csv } = buildExampleFiles(form)
  const parseRows = openImportParser(form)
  return defineRoute({
    ...form.common,
    method: 'POST',
    path: `${form.path}/import`,
    kind: 'plain',
    operationId: `import${form.title.many}`,
    summary: `Import a file of ${form.words.many} into a list, line by line; can be resumed`,
    query: importQuery,
    body: buildLinesBodyReader({ [ndjsonType]: ndjson, [csvType]: csv }),
    answers: {
      200: {
        description: 'The result of each line, in order, then the totals.',
        schema: answerLines,
        contentType: ndjsonType,
      },
    },
    serve: async ({ context, call, ids, query, body }) =>
      streamWithinLimit(imports, call.principal.accountId, async () => {
        const lines = parseRows(body, query.afterLine)
        const answers = await importEntries(context, call, { list: readListId(ids), lines })
        return { contentType: addCharset(ndjsonType), chunks: streamResults(answers, form) }
      }),
  })
}

function exportRoute(form: EntryForm, { longAnswers }: ListLimits): Route {
  return defineRoute({
    ...form.common,
    access: form.valueAccess,
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
        otherTypes: { [csvType]: buildExampleFiles(form).csv },
      },
    },
    serve: async ({ context, call, ids, query: { format, ...readOptions } }) =>
      streamWithinLimit(longAnswers, call.principal.accountId, async () => {
        const request = { list: readListId(ids), ...readOptions }
        const pages = await listAllEntries(context, call, request)
        const contentType = addCharset(format === 'csv' ? csvType : ndjsonType)
        return { contentType, chunks: streamFile(pages, form, format), persons: 'unnamed' }
      }),
  })
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

/**
 * Opens the row parser of this list form. Rows are numbered from 1 as in the file; empty rows and rows up to
 * `afterLine` are skipped.
 */
function openImportParser(form: EntryForm) {
  const fits = compileSchema<EntryBody>(form.schemas.input)
  const readRow = (text: string, columns: readonly string[] | undefined) => {
    const given = columns ? parseCsvRow(text, columns) : parseNdjsonRow(text)
    if (fits(given)) return readEntryInput(form, given)
    throw invalidRequest(toFailureDetails(fits.errors))
  }

  return async function* parseRows(
    { contentType, lines }: BodyLines,
    afterLine: number,
  ): AsyncGenerator<ImportLine> {
    let line = 0
    let columns: readonly string[] | undefined
    for await (const text of lines) {
      line += 1
      if (text === '') continue
      if (contentType === csvType && !columns) columns = readColumns(form, text)
      else if (line > afterLine) yield readLine(line, () => readRow(text, columns))
    }
  }
}

function readLine(line: number, read: () => ReturnType<typeof readEntryInput>): ImportLine {
  try {
    return { line, input: read() }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { line, details: error.details ?? [{ path: '', message: error.message }] }
  }
}

/** The entry of a row, as in a request body; a field that is empty is absent. */
function parseCsvRow(text: string, columns: readonly string[]): object {
  const fields = parseCsvLine(text)
  if (fields?.length !== columns.length) {
    const has = fields ? `this line has ${fields.length}` : unpairedQuotes
    const message = `Must have ${columns.length} fields, as the first line (${columns.join(',')}); ${has}: ${quoteText(text)}.`
    throw invalidRequest([{ path: '', message }])
  }
  const named = columns.map((name, index) => [name, fields[index] ?? ''] as const)
  return Object.fromEntries(named.filter(([name, field]) => name !== 'created_at' && field !== ''))
}

function parseNdjsonRow(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || !('created_at' in value)) return value
    const { created_at: _, ...given } = value
    return given
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw invalidRequest([{ path: '', message: 'Must be JSON.' }])
  }
}

const unpairedQuotes =
  'its quotes are not closed, or stand inside a field that does not begin with one'

/** Columns that a CSV file may have; the last is written by exports and ignored by imports. */
function listCsvColumns({ field }: EntryForm): readonly string[] {
  return [field, 'reason', 'expires_at', 'created_at']
}

function readColumns(form: EntryForm, text: string): readonly string[] {
  const columns = parseCsvLine(text)
  const known = listCsvColumns(form)
  const fault = findHeaderFault(form, columns, text)
  if (columns && fault === undefined) return columns
  const message = `The first line must name the columns, of ${known.join(', ')}, each once; ${fault}: ${quoteText(text)}.`
  throw new Failure('invalid_request', message, { details: [{ path: 'body', message }] })
}

function findHeaderFault(
  form: EntryForm,
  columns: readonly string[] | undefined,
  text: string,
): string | undefined {
  if (!columns) return unpairedQuotes
  const known = listCsvColumns(form)
  const unknown = columns.find((name) => !known.includes(name))
  const separator = /[;\t|]/.exec(text)?.[0]
  if (unknown !== undefined && separator !== undefined) {
    return `it is separated by ${nameCharacter(separator)} where a comma is expected`
  }
  if (unknown !== undefined) return `it names ${quoteText(unknown)}`
  if (!columns.includes(form.field)) return `it lacks ${form.field}`
  return new Set(columns).size < columns.length ? 'it names a column twice' : undefined
}

/** What ends the import when some lines have been answered can only be told as one more of them. */
async function* streamResults(
  answers: AsyncIterable<object>,
  form: EntryForm,
): AsyncGenerator<string> {
  try {
    for await (const answer of answers) yield formatNdjsonLine(renderEntry(form, answer))
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const { code, message, details } = error
    yield formatNdjsonLine({ result: 'failed', code, message, ...(details && { details }) })
  }
}

function formatNdjsonLine(value: object): string {
  return `${JSON.stringify(value)}\n`
}

/** The file of the entries, each as an import takes it. */
async function* streamFile(
  pages: AsyncIterable<readonly EntryView[]>,
  form: EntryForm,
  format: 'ndjson' | 'csv',
): AsyncGenerator<string> {
  const { header, formatEntry } = buildFileFormat(form, format)
  if (header !== '') yield header
  for await (const page of pages) {
    const lines = page.map((entry) =>
      formatEntry(
        entry.reason === undefined ? entry : { ...entry, reason: asEntryReason(entry.reason) },
      ),
    )
    if (lines.length > 0) yield lines.join('')
  }
}

type ExportedEntry = Partial<EntryView> & Pick<EntryView, 'value'>

function buildFileFormat(form: EntryForm, format: 'ndjson' | 'csv') {
  if (format === 'ndjson') {
    const formatEntry = (entry: ExportedEntry) => formatNdjsonLine(renderEntry(form, entry))
    return { header: '', formatEntry }
  }
  const formatRow = (fields: readonly string[]) => `${formatCsvLine(fields)}\r\n`
  return {
    header: formatRow(listCsvColumns(form)),
    formatEntry: ({ value, reason = '', expires_at = '', created_at = '' }: ExportedEntry) =>
      formatRow([value, reason, expires_at, created_at]),
  }
}

function buildExampleFiles(form: EntryForm) {
  const { formatEntry: formatNdjson } = buildFileFormat(form, 'ndjson')
  const { header, formatEntry: formatCsv } = buildFileFormat(form, 'csv')
  return { ndjson: formatNdjson(form.example), csv: header + formatCsv(form.example) }
}
