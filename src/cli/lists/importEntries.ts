/** Runs `vigil lists import` in batches: retries failed ones, and reports refused lines. */

import type { LineAnswer } from '../../commands/lists/importEntries.ts'
import type { Client } from '../connecting/client.ts'
import type { ReadParameter } from '../connecting/commandDefinition.ts'
import type { Invocation } from '../connecting/invocation.ts'
import { retryWhileUnavailable } from '../connecting/pagination.ts'
import { namedResources } from '../connecting/resourceId.ts'
import {
  type CliError,
  createCliError,
  type ExitCode,
  exitCodes,
  isCliError,
  usageError,
} from '../terminal/cliError.ts'
import type { FileFormat } from '../terminal/optionValues.ts'
import { readInputLines } from '../terminal/readInput.ts'
import { escapeControls, openProgress } from '../terminal/screen.ts'
import { formatFields } from '../terminal/table.ts'

/** The most refused lines that are printed, or listed with `--json`. */
const refusalsMax = 100
/** The size of a batch, which takes a busy service some seconds. */
const batchMax = { lines: 500, characters: 1024 * 1024 }

/**
 * Runs `vigil lists import`, with progress and refused lines on stderr; ends with 1 when lines were refused. The error that ends it says
 * where to resume.
 */
export async function importFile(invocation: Invocation, given: ReadParameter): Promise<ExitCode> {
  const { context, flags } = invocation
  const file = given('<file>') ?? '-'
  const client = await invocation.getClient()
  const path = `${namedResources.lists.path}/${given('<list>')}/entries/import`
  const format = given<FileFormat>('--format') ?? detectFileFormat(file)
  const afterLine = lineNumber(given('--after-line') ?? '0')
  const progress = openProgress(context, flags)
  const sums = { added: 0, changed: 0, unchanged: 0, refused: 0 }
  const refusals: Refusal[] = []
  let line = afterLine
  try {
    for await (const batch of batchesOf(readInputLines(context, file), { format, afterLine })) {
      const answers = await retryWhileUnavailable(context, () =>
        sendBatch(client, path, { ...batch, format }),
      )
      for (const { result } of answers) sums[result as keyof typeof sums] += 1
      refusals.push(...answers.filter(({ result }) => result === 'refused').map(refusalOf))
      refusals.length = Math.min(refusals.length, refusalsMax)
      line = batch.lastLine
      progress.show(`${line} lines`)
    }
  } catch (thrown) {
    throw withResumeHint(thrown, line)
  } finally {
    progress.clear()
    if (!flags.json) for (const one of refusals) context.stderr.write(`${refusalText(one)}\n`)
  }
  invocation.print({ ...sums, refusals }, () => formatFields(sums))
  return sums.refused > 0 ? exitCodes.refused : exitCodes.done
}

/** The format that a file has by its name. */
export function detectFileFormat(file: string): FileFormat {
  return file.toLowerCase().endsWith('.csv') ? 'csv' : 'ndjson'
}

interface Refusal {
  /** Its number in the file. */
  readonly line: number
  readonly value?: string
  readonly message: string
}

/** The answers to the lines of a batch, with their numbers in the file. */
async function sendBatch(
  client: Client,
  path: string,
  { format, content, linesBefore }: Batch & { readonly format: FileFormat },
): Promise<readonly Answer[]> {
  const text = { type: format === 'csv' ? 'text/csv' : 'application/x-ndjson', content }
  const { body } = await client<{ lines: readonly Answer[] }>('POST', path, { text })
  const failed = body.lines.find(({ result }) => result === 'failed')
  if (failed) throw importError(failed)
  return body.lines.flatMap((answer) =>
    answer.line === undefined ? [] : [{ ...answer, line: answer.line + linesBefore }],
  )
}

/** The service's answer to a line; those to the whole have none. */
type Answer = Omit<LineAnswer, 'line' | 'result'> & {
  readonly line?: number
  readonly result: LineAnswer['result'] | 'done'
}

function refusalOf({ line = 0, value, details = [] }: Answer): Refusal {
  const message = details.map((detail) => `${detail.path} ${detail.message}`.trim()).join(' ')
  return { line, ...(value !== undefined && { value }), message }
}

function importError({ code = 'failed', message = 'The import failed.' }: Answer): CliError {
  const isUnavailable = code === 'unavailable' || code === 'internal_error'
  return createCliError(message, isUnavailable ? exitCodes.unreachable : exitCodes.refused, {
    code,
  })
}

function withResumeHint(thrown: unknown, line: number): unknown {
  if (!isCliError(thrown)) return thrown
  const hint = `The lines up to ${line} are stored. Go on with: --after-line ${line}`
  const facts = { ...thrown.facts, after_line: line, hint }
  return createCliError(thrown.message, thrown.exitCode, facts)
}

function refusalText({ line, value, message }: Refusal): string {
  return escapeControls(
    `vigil: line ${line}${value === undefined ? '' : ` (${value})`}: ${message}`,
  )
}

function lineNumber(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw usageError('--after-line takes the number of a line.')
}

interface Batch {
  readonly content: string
  /** Added to a line number in the batch, it gives the number in the file. */
  readonly linesBefore: number
  /** The number of its last line in the file. */
  readonly lastLine: number
}

/** Splits the lines after `afterLine` into batches. Each batch of a CSV file begins with the header. */
async function* batchesOf(
  lines: AsyncIterable<string>,
  { format, afterLine }: { readonly format: FileFormat; readonly afterLine: number },
): AsyncGenerator<Batch> {
  let header: string | undefined
  let line = 0
  let pending: string[] = []
  let characters = 0
  let isStarted = false
  const takeBatch = (): Batch => {
    const head = header === undefined ? [] : [header]
    const content = `${[...head, ...pending].join('\n')}\n`
    const batch = { content, linesBefore: line - pending.length - head.length, lastLine: line }
    pending = []
    characters = 0
    isStarted = true
    return batch
  }
  for await (const text of lines) {
    line += 1
    if (format === 'csv' && header === undefined && text !== '') header = text
    else if (line > afterLine) {
      pending.push(text)
      characters += text.length
    }
    if (pending.length >= batchMax.lines || characters >= batchMax.characters) yield takeBatch()
  }
  // the columns of a file without entries are checked too
  if (pending.length > 0 || (header !== undefined && !isStarted)) yield takeBatch()
}
