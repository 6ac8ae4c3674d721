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
import { type ExitCode, exitCodes, usageError } from '../terminal/cliError.ts'
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
const batchMax = { rows: 100, characters: 1024 * 1024 }
/** Characters of a row of several lines; the service has the same limit. */
const rowMax = 64 * 1024

interface Row {
  /** The line of the file in which it begins. */
  readonly row: number
  readonly text: string
  /** Why it cannot be sent. */
  readonly problem?: string
}

interface FailedRow extends Pick<Row, 'row'> {
  /** The caller's. */
  readonly id?: string
  readonly message: string
}

/** Ends with 1 when rows failed, which are printed on stderr. Interrupted, it is run again from the beginning. */
async function importFile(invocation: Invocation): Promise<ExitCode> {
  const { context, flags, given } = invocation
  const progress = openProgress(context, flags)
  const sums = { imported: 0, repeated: 0, failed: 0 }
  const failures: FailedRow[] = []
  try {
    for await (const batch of splitIntoBatches(readRows(invocation))) {
      const answer = await sendBatch(invocation, batch)
      sums.imported += answer.imported
      sums.repeated += answer.repeated
      sums.failed += answer.failed
      failures.push(...answer.failures.slice(0, failuresMax - failures.length))
      progress.show(formatCount(batch.at(-1)?.row ?? 0, 'line'))
    }
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

function formatFailure({ row, id, message }: FailedRow): string {
  return escapeControls(`vigil: line ${row}${id === undefined ? '' : ` (${id})`}: ${message}`)
}

/** Sends the rows that can be read; a failed one is told by where it stands in the file. */
async function sendBatch({ context, client, given }: Invocation, batch: readonly Row[]) {
  const unread = batch.flatMap(({ row, problem: message }) =>
    message === undefined ? [] : [{ row, message }],
  )
  const sent = batch.filter(({ problem }) => problem === undefined)
  if (sent.length === 0) return { imported: 0, repeated: 0, failed: batch.length, failures: unread }
  const text = {
    type: 'application/x-ndjson',
    content: sent.map((row) => `${row.text}\n`).join(''),
  }
  const query = given('--dry-run') ? { dry_run: 'true' } : {}
  const { errors, failed, ...sums } = await retryWhileUnavailable(context, () =>
    client<EvaluationImport>('POST', `${evaluationsPath}/import`, { query, text }),
  )
  const refused = errors.map(({ line, details, ...named }): FailedRow => {
    const message = details.map((detail) => `${detail.path} ${detail.message}`.trim()).join(' ')
    return { row: sent[line - 1]?.row ?? 0, ...named, message }
  })
  const failures = [...unread, ...refused].sort((one, other) => one.row - other.row)
  return { ...sums, failed: failed + unread.length, failures }
}

async function* splitIntoBatches(rows: AsyncIterable<Row>): AsyncGenerator<readonly Row[]> {
  let batch: Row[] = []
  let characters = 0
  for await (const row of rows) {
    batch.push(row)
    characters += row.text.length
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
  label: ['label', 'label'],
  confidence: ['label', 'confidence'],
  label_occurred_at: ['label', 'occurred_at'],
}
const extPrefix = 'ext.'

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
      yield { row, text: '', problem }
    }
  }
}

/** Joins the lines of a record whose quotes are open at the end of a line. */
async function* readCsvRecords(lines: AsyncIterable<string>): AsyncGenerator<Row> {
  let line = 0
  let record: Row | undefined
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
  const known = Object.keys(columnPaths)
  const twice = columns.find((name, index) => columns.indexOf(name) < index)
  if (twice !== undefined) throw usageError(`The header has ${quoteText(twice)} twice.`)
  const unknown = columns.find((name) => !known.includes(name) && !/^ext\../.test(name))
  if (unknown !== undefined) {
    const near = nearestName(unknown, known)
    const guess = near === undefined ? '' : ` Did you mean ${near}?`
    const all = `${known.join(', ')}, ${extPrefix}<name>`
    throw usageError(`There is no column ${quoteText(unknown)}.${guess} Known: ${all}.`)
  }
  const missing = ['id', 'occurred_at'].find((name) => !columns.includes(name))
  if (missing !== undefined) throw usageError(`The header lacks ${missing}.`)
  return columns
}

type Group = Record<string, unknown>

/** The body of a row; a field that is empty is absent. */
function buildBody(
  columns: readonly string[],
  fields: readonly string[],
  flow: string | undefined,
): object {
  const body: Group = { flow_id: flow, target: {} }
  for (const [index, name] of columns.entries()) {
    const field = fields[index] ?? ''
    if (field === '') continue
    const path = columnPaths[name] ?? ['signals', 'ext', name.slice(extPrefix.length)]
    let group = body
    for (const key of path.slice(0, -1)) {
      // without a prototype every key is one
      group[key] ??= Object.create(null) as Group
      group = group[key] as Group
    }
    group[path.at(-1) ?? ''] = readField(name, field)
  }
  const { label, ...rest } = body
  return label === undefined ? rest : { ...rest, labels: [label] }
}

/** Times without a zone are in UTC; what is neither time nor truth is for the service to refuse. */
function readField(name: string, field: string): string | boolean {
  if (name.endsWith('occurred_at')) return completeTime(field) ?? field
  const isTruth = callerSignals.some((signal) => name === `signals.${signal}`)
  return isTruth && /^(?:true|false)$/i.test(field) ? field.toLowerCase() === 'true' : field
}
