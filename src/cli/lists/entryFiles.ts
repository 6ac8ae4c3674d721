/** Imports and exports files of list entries; imports go in batches that can be resumed. */

import { appendFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import type { LineAnswer } from '../../commands/lists/importEntries.ts'
import { asEntryReason } from '../../domain/lists/lists.ts'
import { formatCsvLine } from '../../domain/text/csv.ts'
import type { EntryView } from '../../queries/lists/entries.ts'
import type { Client } from '../connecting/client.ts'
import type { Invocation } from '../connecting/invocation.ts'
import { readListPages, retryWhileUnavailable } from '../connecting/pagination.ts'
import {
  createCliError,
  type ExitCode,
  exitCodes,
  isCliError,
  usageError,
} from '../terminal/cliError.ts'
import { chooseFormat, type FileFormat } from '../terminal/optionValues.ts'
import { readInputLines } from '../terminal/readInput.ts'
import { escapeControls, formatCount, openProgress } from '../terminal/screen.ts'
import { formatFields } from '../terminal/table.ts'

/** The most refused lines that are printed, or listed with `--json`. */
const refusalsMax = 100
/** The size of a batch, which takes a busy service some seconds. */
const batchMax = { lines: 500, characters: 1024 * 1024 }

/** How the API names the entries of a list. */
export interface EntryNames {
  /** The path of the entries, which contains the argument of the list. */
  readonly path: `/${string}`
  readonly list: `<${string}>`
  /** The field of the value of an entry. */
  readonly field: string
  /** The field of a page that contains the entries. */
  readonly plural: string
}

/** The file, its format, and the path of the list's entries. */
function openTransfer({ given }: Invocation, { path, list }: EntryNames) {
  const file = given('<file>') ?? '-'
  const format = chooseFormat(file, given<FileFormat>('--format'))
  return { file, format, path: path.replace(list, given(list) ?? '') }
}

/**
 * Runs `import`, with progress and refused lines on stderr; ends with 1 when lines were refused. The error that ends it
 * says where to resume.
 */
export async function importFile(invocation: Invocation, names: EntryNames): Promise<ExitCode> {
  const { context, flags, client, given } = invocation
  const { file, format, path } = openTransfer(invocation, names)
  const afterLine = given<number>('--after-line') ?? 0
  const progress = openProgress(context, flags)
  const sums = { added: 0, changed: 0, unchanged: 0, refused: 0 }
  const refusals: Refusal[] = []
  let line = afterLine
  try {
    for await (const batch of splitIntoBatches(readInputLines(context, file), {
      format,
      afterLine,
    })) {
      const answers = await retryWhileUnavailable(context, () =>
        sendBatch(client, `${path}/import`, { ...batch, format }),
      )
      for (const { result } of answers) sums[result as keyof typeof sums] += 1
      const refused = answers.filter(({ result }) => result === 'refused')
      refusals.push(...refused.map((answer) => describeRefusal(answer, names)))
      refusals.length = Math.min(refusals.length, refusalsMax)
      line = batch.lastLine
      progress.show(formatCount(line, 'line'))
    }
  } catch (thrown) {
    throw line === 0 ? thrown : withResumeHint(thrown, line)
  } finally {
    progress.clear()
    if (!flags.json) for (const one of refusals) context.stderr.write(`${formatRefusal(one)}\n`)
  }
  invocation.print({ ...sums, refusals }, () => formatFields(sums))
  return sums.refused > 0 ? exitCodes.refused : exitCodes.done
}

function withResumeHint(thrown: unknown, line: number): unknown {
  if (!isCliError(thrown)) return thrown
  const hint = `The lines up to ${line} are stored. Go on with: --after-line ${line}`
  const facts = { ...thrown.facts, after_line: line, hint }
  return createCliError(thrown.message, thrown.exitCode, facts)
}

/** The service's answer to a line; those to the whole have none. */
type Answer = Omit<LineAnswer, 'line' | 'result'> & {
  readonly line?: number
  readonly result: LineAnswer['result'] | 'done'
}

/** The answers to the lines of a batch, with their numbers in the file. */
async function sendBatch(
  client: Client,
  path: string,
  { format, content, linesBefore }: Batch & { readonly format: FileFormat },
): Promise<readonly Answer[]> {
  const text = { type: format === 'csv' ? 'text/csv' : 'application/x-ndjson', content }
  const { lines } = await client<{ lines: readonly Answer[] }>('POST', path, { text })
  const failed = lines.find(({ result }) => result === 'failed')
  if (failed) {
    const { code = 'failed', message = 'The import failed.' } = failed
    const isUnavailable = code === 'unavailable' || code === 'internal_error'
    const exitCode = isUnavailable ? exitCodes.unreachable : exitCodes.refused
    throw createCliError(message, exitCode, { code })
  }
  return lines.flatMap((answer) =>
    answer.line === undefined ? [] : [{ ...answer, line: answer.line + linesBefore }],
  )
}

interface Refusal {
  /** Its number in the file. */
  readonly line: number
  readonly value?: string
  readonly message: string
}

function describeRefusal(answer: Answer, { field }: EntryNames): Refusal {
  const { line = 0, details = [] } = answer
  const value: unknown = Reflect.get(answer, field)
  const message = details.map((detail) => `${detail.path} ${detail.message}`.trim()).join(' ')
  return { line, ...(typeof value === 'string' && { value }), message }
}

function formatRefusal({ line, value, message }: Refusal): string {
  return escapeControls(
    `vigil: line ${line}${value === undefined ? '' : ` (${value})`}: ${message}`,
  )
}

interface Batch {
  readonly content: string
  /** Added to a line number in the batch, it gives the number in the file. */
  readonly linesBefore: number
  /** The number of its last line in the file. */
  readonly lastLine: number
}

/** Splits the lines after `afterLine` into batches. Each batch of a CSV file begins with the header. */
async function* splitIntoBatches(
  lines: AsyncIterable<string>,
  { format, afterLine }: { readonly format: FileFormat; readonly afterLine: number },
): AsyncGenerator<Batch> {
  let header: readonly string[] = []
  let line = 0
  let pending: string[] = []
  let characters = 0
  const batch = (): Batch => ({
    content: `${[...header, ...pending].join('\n')}\n`,
    linesBefore: line - pending.length - header.length,
    lastLine: line,
  })
  let isStarted = false
  for await (const text of lines) {
    line += 1
    if (format === 'csv' && header.length === 0 && text !== '') header = [text]
    else if (line > afterLine) {
      pending.push(text)
      characters += text.length
    }
    if (pending.length < batchMax.lines && characters < batchMax.characters) continue
    yield batch()
    isStarted = true
    pending = []
    characters = 0
  }
  // the columns of a file without entries are checked too
  if (pending.length > 0 || (header.length > 0 && !isStarted)) yield batch()
}

/** An entry as the API lists it, its value under the field of its kind of list. */
type ListedEntry = Omit<EntryView, 'value'>

/**
 * Runs `export`. A file is written whole or not at all, with progress on stderr. Throws `usage` for an output that is
 * not a file.
 */
export async function exportFile(invocation: Invocation, names: EntryNames): Promise<undefined> {
  const { context, flags, client } = invocation
  const { file, format, path } = openTransfer(invocation, names)
  // as in the API's own export
  const columns = format === 'csv' ? [names.field, 'reason', 'expires_at', 'created_at'] : undefined
  const again: Client = (...call) => retryWhileUnavailable(context, () => client(...call))
  const progress = openProgress(context, flags)
  const output = file === '-' ? openStdout(context) : openFile(file)
  let count = 0
  let header = columns ? `${formatCsvLine(columns)}\r\n` : ''
  try {
    for await (const { items } of readListPages<ListedEntry>(again, { path, name: names.plural })) {
      output.write(header + items.map((entry) => formatEntry(entry, columns)).join(''))
      header = ''
      count += items.length
      progress.show(formatEntryCount(count))
    }
    output.keep()
  } finally {
    output.end()
    progress.clear()
  }
  if (file === '-') return
  invocation.print({ entries: count }, () => [
    escapeControls(`${formatEntryCount(count)} in ${file}.`),
  ])
}

function formatEntryCount(count: number): string {
  return formatCount(count, 'entry', 'entries')
}

/** The line of an entry, with a reason that can be imported; columns of CSV unless it is NDJSON. */
function formatEntry(given: ListedEntry, columns: readonly string[] | undefined): string {
  const { reason } = given
  const entry = reason === undefined ? given : { ...given, reason: asEntryReason(reason) }
  if (!columns) return `${JSON.stringify(entry)}\n`
  return `${formatCsvLine(columns.map((column) => String(Reflect.get(entry, column) ?? '')))}\r\n`
}

interface EntryOutput {
  readonly write: (text: string) => void
  /** Makes a complete file visible. */
  readonly keep: () => void
  /** Removes an incomplete file. */
  readonly end: () => void
}

function openStdout({ stdout }: Invocation['context']): EntryOutput {
  return { write: stdout.write, keep: () => undefined, end: () => undefined }
}

/** Throws `usage` for anything but a file, such as a pipe, which the rename would replace. */
function openFile(file: string): EntryOutput {
  const existing = statSync(file, { throwIfNoEntry: false })
  if (existing && !existing.isFile()) {
    throw usageError(`${file} is not a file. For standard output, which can lead anywhere, give -.`)
  }
  const temporary = `${file}.${process.pid}.part`
  writeFileSync(temporary, '')
  return {
    write: (text) => appendFileSync(temporary, text),
    keep: () => renameSync(temporary, file),
    end: () => rmSync(temporary, { force: true }),
  }
}
