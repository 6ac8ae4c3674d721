/** The lines of an import as entries of a list. */

import { Failure } from '../../domain/failure.ts'
import type { PhoneList } from '../../domain/phoneLists.ts'
import type { ImportLine } from '../../service/lists/listsPart.ts'
import type { Lines } from '../request/linesBody.ts'
import { compileSchema, detailsOf } from '../request/validator.ts'
import { csvFields } from './csvFields.ts'
import { type GivenPhoneNumber, phoneNumberInputSchema } from './phoneListSchemas.ts'
import { phoneNumberInput } from './phoneNumberInput.ts'

export const csvType = 'text/csv'
export const ndjsonType = 'application/x-ndjson'

/** Columns that a CSV file may have; the last is what an export says and an import does not need. */
export const csvColumns = ['phone_number', 'reason', 'expires_at', 'created_at'] as const

const fits = compileSchema<GivenPhoneNumber>(phoneNumberInputSchema)

/** Numbered from 1 as they stand in the file, its empty ones left out, those up to `afterLine` too. */
export async function* importLines(
  { contentType, lines }: Lines,
  { list, afterLine }: { readonly list: PhoneList; readonly afterLine: number },
): AsyncGenerator<ImportLine> {
  let line = 0
  let columns: readonly string[] | undefined
  for await (const text of lines) {
    line += 1
    if (text === '') continue
    if (contentType === csvType && !columns) {
      columns = columnsOf(text)
      continue
    }
    if (line > afterLine) yield lineOf(line, () => entryOf(list, givenOf(text, columns)))
  }
}

function lineOf(line: number, read: () => ReturnType<typeof entryOf>): ImportLine {
  try {
    return { line, input: read() }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { line, details: error.details ?? [{ path: '', message: error.message }] }
  }
}

function entryOf(list: PhoneList, given: unknown) {
  if (fits(given)) return phoneNumberInput(list, given)
  throw refused(detailsOf(fits.errors))
}

/** What a line says, as it would stand in the body of a request. */
function givenOf(text: string, columns: readonly string[] | undefined): unknown {
  if (!columns) return parsed(text)
  const fields = csvFields(text)
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

function columnsOf(text: string): readonly string[] {
  const columns = csvFields(text.replace(/^\uFEFF/, '')) ?? []
  const known: readonly string[] = csvColumns
  const isFine =
    columns.includes('phone_number') &&
    columns.every((name) => known.includes(name)) &&
    new Set(columns).size === columns.length
  if (isFine) return columns
  const message = `The first line must name the columns, of ${csvColumns.join(', ')}, each once.`
  throw refused([{ path: 'body', message }])
}

function refused(details: NonNullable<Failure['details']>): Failure {
  return new Failure('invalid_request', details[0]?.message ?? 'The line is invalid.', { details })
}
