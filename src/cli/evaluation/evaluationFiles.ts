/** Declares `vigil import evaluations`: reads the rows of a file, and sends them in batches. */

import type { EvaluationImport } from '../../commands/feedback/importEvaluations.ts'
import { callerSignals, deviceSignals } from '../../domain/signals/signals.ts'
import { parseCsvLine } from '../../domain/text/csv.ts'
import { nearestName } from '../../domain/text/nearestName.ts'
import { quoteText } from '../../domain/text/quoteText.ts'
import type { CommandDefinition } from '../connecting/commandDefinition.ts'
import { assertStdinUsedOnce, type Invocation } from '../connecting/invocation.ts'
import { retryWhileUnavailable } from '../connecting/pagination.ts'
import { idOrNameArgument, namedResources } from '../connecting/resourceId.ts'
import {
  createCliError,
  type ExitCode,
  exitCodes,
  isCliError,
  usageError,
} from '../terminal/cliError.ts'
import {
  chooseFormat,
  completeTime,
  type FileFormat,
  formatOption,
} from '../terminal/optionValues.ts'
import { readInputLines } from '../terminal/readInput.ts'
import { escapeControls, formatCount, openProgress } from '../terminal/screen.ts'
import { formatFields } from '../terminal/table.ts'
import { evaluationsPath } from './evaluationCommands.ts'

export const importCommands: CommandDefinition = {
  summary: 'Import the traffic of the past.',
  example: 'vigil import evaluations last-year.csv --flow Signup',
  commands: {
    evaluations: {
      arguments: { '[file]': '- for standard input, the default' },
      summary: 'Import evaluations of the past; to import them again is not an error.',
      example: 'vigil import evaluations last-year.csv --flow Signup --dry-run',
      options: {
        ...formatOption,
        '--flow <flow>': idOrNameArgument(
          namedResources.flows,
          'the flow of rows without a flow_id: its name or id',
        ),
        '--dry-run': 'check the rows, and record nothing',
      },
      check: (invocation) => {
        if ((invocation.given('<file>') ?? '-') === '-') assertStdinUsedOnce(invocation, 'rows')
      },
      run: importFile,
    },
  },
}

/** The most failed rows that are printed, or listed with `--json`. */
const failuresMax = 100
/** The size of a batch, which takes a busy service some seconds. */
const batchMax = { rows: 250, characters: 1024 * 1024 }
/** Characters of a row of several lines; the service has the same limit. */
const rowMax = 64 * 1024

/** A row as the service takes it, or what is wrong with it. */
interface Row {
  /** The line of the file in which it begins. */
  readonly row: number
  /** JSON, unless it stands so in a file of NDJSON. */
  readonly text?: string
  readonly problem?: string
}

interface FailedRow extends Pick<Row, 'row'> {
  /** The caller's. */
  readonly id?: string
  readonly message: string
}

/** Ends with 1 when rows failed, which are printed on stderr. */
async function importFile(invocation: Invocation): Promise<ExitCode> {
  const { context, flags, given } = invocation
  const progress = openProgress(context, flags)
  const sums = { imported: 0, repeated: 0, failed: 0 }
  const failures: FailedRow[] = []
  let last = 0
  try {
    for await (const batch of splitIntoBatches(readRows(invocation))) {
      const answer = await sendBatch(invocation, batch)
      sums.imported += answer.imported
      sums.repeated += answer.repeated
      sums.failed += answer.failed
      failures.push(...answer.failures.slice(0, failuresMax - failures.length))
      last = batch.at(-1)?.row ?? last
      progress.show(formatCount(last, 'line'))
    }
  } catch (thrown) {
    throw last === 0 ? thrown : withRepeatHint(thrown, last)
  } finally {
    progress.clear()
    if (!flags.json) for (const one of failures) context.stderr.write(`${formatFailure(one)}\n`)
  }
  const { imported: valid, ...rest } = sums
  const shown = given('--dry-run') ? { valid, ...rest } : sums
  invocation.print({ ...shown, failures }, () => formatFields(shown))
  return sums.failed > 0 ? exitCodes.refused : exitCodes.done
}

function readRows({ context, given }: Invocation): AsyncGenerator<Row> {
  const file = given('<file>') ?? '-'
  const lines = readInputLines(context, file, { cutsLines: true })
  const isCsv = chooseFormat(file, given<FileFormat>('--format')) === 'csv'
  return (isCsv ? readCsvRows : readJsonRows)(lines, given('--flow'))
}

function withRepeatHint(thrown: unknown, line: number): unknown {
  if (!isCliError(thrown)) return thrown
  const hint = `The lines up to ${line} are done. Run it again: no row is imported twice.`
  return createCliError(thrown.message, thrown.exitCode, { ...thrown.facts, hint })
}

function formatFailure({ row, id, message }: FailedRow): string {
  return escapeControls(`vigil: line ${row}${id === undefined ? '' : ` (${id})`}: ${message}`)
}

/** Sends the rows that can be read; a failed one is told by where it stands in the file. */
async function sendBatch({ context, client, given }: Invocation, batch: readonly Row[]) {
  const unread = batch.flatMap(({ row, problem }) =>
    problem === undefined ? [] : [{ row, message: problem }],
  )
  const sent = batch.filter(({ text }) => text !== undefined)
  if (sent.length === 0) return { ...none, failed: unread.length, failures: unread }
  const content = sent.map(({ text }) => `${text}\n`).join('')
  const query = given('--dry-run') ? { dry_run: 'true' } : {}
  const { imported, repeated, failed, errors } = await retryWhileUnavailable(context, () =>
    client<EvaluationImport>('POST', `${evaluationsPath}/import`, {
      query,
      text: { type: 'application/x-ndjson', content },
    }),
  )
  const refused = errors.map(({ line, id, details }): FailedRow => {
    const message = details.map((detail) => `${detail.path} ${detail.message}`.trim()).join(' ')
    return { row: sent[line - 1]?.row ?? 0, ...(id !== undefined && { id }), message }
  })
  const failures = [...unread, ...refused].sort((one, other) => one.row - other.row)
  return { imported, repeated, failed: failed + unread.length, failures }
}

const none = { imported: 0, repeated: 0 }

async function* splitIntoBatches(rows: AsyncIterable<Row>): AsyncGenerator<readonly Row[]> {
  let batch: Row[] = []
  let characters = 0
  for await (const row of rows) {
    batch.push(row)
    characters += row.text?.length ?? 0
    if (batch.length < batchMax.rows && characters < batchMax.characters) continue
    yield batch
    batch = []
    characters = 0
  }
  if (batch.length > 0) yield batch
}

/** What is no JSON is sent as it is: the service says what is wrong. */
async function* readJsonRows(
  lines: AsyncIterable<string>,
  flow: string | undefined,
): AsyncGenerator<Row> {
  let row = 0
  for await (const text of lines) {
    row += 1
    if (text.trim() !== '') yield { row, text: flow === undefined ? text : addFlow(text, flow) }
  }
}

function addFlow(text: string, flow: string): string {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject && !('flow_id' in value) ? JSON.stringify({ ...value, flow_id: flow }) : text
  } catch {
    return text
  }
}

/** Columns by their names, beside `ext.<key>`, and where their fields go in the body of a row. */
const columnPaths: Readonly<Record<string, readonly string[]>> = {
  id: ['id'],
  occurred_at: ['occurred_at'],
  flow_id: ['flow_id'],
  phone_number: ['target', 'phone_number'],
  email_address: ['target', 'email_address'],
  correlation_id: ['metadata', 'correlation_id'],
  ...Object.fromEntries(
    [...deviceSignals, ...callerSignals].map((name) => [`signals.${name}`, ['signals', name]]),
  ),
  label: ['labels', '0', 'label'],
  confidence: ['labels', '0', 'confidence'],
  label_occurred_at: ['labels', '0', 'occurred_at'],
}
const truths: Readonly<Record<string, boolean>> = { true: true, false: false }
const booleans: ReadonlySet<string> = new Set(callerSignals.map((name) => `signals.${name}`))

/** Throws `usage` for a header that does not fit. */
async function* readCsvRows(
  lines: AsyncIterable<string>,
  flow: string | undefined,
): AsyncGenerator<Row> {
  let columns: readonly string[] | undefined
  for await (const { row, text } of readCsvRecords(lines)) {
    const fields = text.length > rowMax ? undefined : parseCsvLine(text)
    if (!columns) columns = requireColumns(fields)
    else if (fields?.length === columns.length) {
      yield { row, text: JSON.stringify(buildBody(columns, fields, flow)) }
    } else {
      const problem = fields
        ? `Must have ${columns.length} fields, as the header; it has ${fields.length}.`
        : `Its quotes are not closed, or it has more than ${rowMax} characters.`
      yield { row, problem }
    }
  }
}

/** Joins the lines of a record whose quotes are open at the end of a line. */
async function* readCsvRecords(
  lines: AsyncIterable<string>,
): AsyncGenerator<{ readonly row: number; readonly text: string }> {
  let line = 0
  let record: { readonly row: number; readonly text: string } | undefined
  let isOpen = false
  for await (const text of lines) {
    line += 1
    if (!record && text === '') continue
    record = record ? { ...record, text: `${record.text}\n${text}` } : { row: line, text }
    if ((text.split('"').length - 1) % 2 === 1) isOpen = !isOpen
    if (isOpen && record.text.length <= rowMax) continue
    yield record
    record = undefined
    isOpen = false
  }
  if (record) yield record
}

function requireColumns(columns: readonly string[] | undefined): readonly string[] {
  if (!columns) throw usageError('The quotes of the header are not closed.')
  const twice = columns.find((name, index) => columns.indexOf(name) < index)
  if (twice !== undefined) throw usageError(`The header has ${quoteText(twice)} twice.`)
  const unknown = columns.find((name) => !Object.hasOwn(columnPaths, name) && !isExt(name))
  if (unknown !== undefined) {
    const near = nearestName(unknown, Object.keys(columnPaths))
    const guess = near === undefined ? '' : ` Did you mean ${near}?`
    const known = `${Object.keys(columnPaths).join(', ')}, ext.<name>`
    throw usageError(`There is no column ${quoteText(unknown)}.${guess} Known: ${known}.`)
  }
  const missing = ['id', 'occurred_at'].find((name) => !columns.includes(name))
  if (missing !== undefined) throw usageError(`The header lacks ${missing}.`)
  return columns
}

function isExt(column: string): boolean {
  return column.startsWith('ext.') && column.length > 'ext.'.length
}

/** The body of a row; a field that is empty is absent. */
function buildBody(
  columns: readonly string[],
  fields: readonly string[],
  flow: string | undefined,
): object {
  const given = new Map(
    columns.flatMap((name, index): readonly (readonly [string, string])[] => {
      const field = fields[index] ?? ''
      return field === '' ? [] : [[name, field]]
    }),
  )
  const group = (first: string) => {
    const found = [...given].flatMap(([name, field]) => {
      const [parent, ...path] = columnPaths[name] ?? []
      return parent === first ? [[path.at(-1), readField(name, field)]] : []
    })
    return found.length > 0 ? (Object.fromEntries(found) as object) : undefined
  }
  const ext = Object.fromEntries(
    [...given].flatMap(([name, field]) => (isExt(name) ? [[name.slice(4), field]] : [])),
  )
  const signals = { ...group('signals'), ...(Object.keys(ext).length > 0 && { ext }) }
  const label = group('labels')
  return {
    id: given.get('id'),
    flow_id: given.get('flow_id') ?? flow,
    occurred_at: readField('occurred_at', given.get('occurred_at')),
    target: group('target') ?? {},
    ...(Object.keys(signals).length > 0 && { signals }),
    metadata: group('metadata'),
    ...(label && { labels: [label] }),
  }
}

/** Times without a zone are in UTC; what is neither time nor truth is for the service to refuse. */
function readField(name: string, field: string | undefined): string | boolean | undefined {
  if (field === undefined) return undefined
  if (name.endsWith('occurred_at')) return completeTime(field) ?? field
  return booleans.has(name) ? (truths[field.toLowerCase()] ?? field) : field
}
