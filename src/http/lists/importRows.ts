/** Parses import rows (CSV, NDJSON) into entries, reports invalid ones; lists the CSV columns. */

import type { ImportLine } from '../../commands/lists/importEntries.ts'
import { Failure } from '../../domain/failure.ts'
import { parseCsvLine } from '../../domain/text/csv.ts'
import type { BodyLines } from '../request/body/rowsBody.ts'
import { compileSchema, toFailureDetails } from '../request/schema/validator.ts'
import { type EntryBody, type EntryForm, readEntryInput } from './entryForm.ts'

export const csvType = 'text/csv'
export const ndjsonType = 'application/x-ndjson'

/** Columns that a CSV file may have; the last is written by exports and ignored by imports. */
export function listCsvColumns({ field }: EntryForm): readonly string[] {
  return [field, 'reason', 'expires_at', 'created_at']
}

/** Opens the row parser of this list form. Rows are numbered from 1 as in the file; empty rows and rows up to `afterLine` are skipped. */
export function openImportParser(form: EntryForm) {
  const fits = compileSchema<EntryBody>(form.schemas.input)
  const read = (given: unknown): ImportedEntry => {
    if (fits(given)) return readEntryInput(form, given)
    throw refused(toFailureDetails(fits.errors))
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
      if (contentType === csvType && !columns) columns = columnsOf(form, text)
      else if (line > afterLine) yield lineOf(line, () => read(givenOf(text, columns)))
    }
  }
}

type ImportedEntry = ReturnType<typeof readEntryInput>

function lineOf(line: number, read: () => ImportedEntry): ImportLine {
  try {
    return { line, input: read() }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { line, details: error.details ?? [{ path: '', message: error.message }] }
  }
}

/** The entry of a row, as in a request body. */
function givenOf(text: string, columns: readonly string[] | undefined): unknown {
  if (!columns) return parsed(text)
  const fields = parseCsvLine(text)
  if (fields?.length !== columns.length) {
    throw refused([{ path: '', message: `Must have ${columns.length} fields, as the first line.` }])
  }
  const named = columns.map((name, index) => [name, fields[index] ?? ''] as const)
  return Object.fromEntries(named.filter(([name, field]) => name !== 'created_at' && field !== ''))
}

function parsed(text: string): unknown {
  try {
    return withoutTime(JSON.parse(text))
  } catch (error) {
    if (error instanceof SyntaxError) throw refused([{ path: '', message: 'Must be JSON.' }])
    throw error
  }
}

function withoutTime(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('created_at' in value)) return value
  const { created_at: _, ...given } = value
  return given
}

function columnsOf(form: EntryForm, text: string): readonly string[] {
  const columns = parseCsvLine(text) ?? []
  const known = listCsvColumns(form)
  const isFine =
    columns.includes(form.field) &&
    columns.every((name) => known.includes(name)) &&
    new Set(columns).size === columns.length
  if (isFine) return columns
  const message = `The first line must name the columns, of ${known.join(', ')}, each once.`
  throw refused([{ path: 'body', message }])
}

function refused(details: NonNullable<Failure['details']>): Failure {
  return new Failure('invalid_request', details[0]?.message ?? 'The line is invalid.', { details })
}
