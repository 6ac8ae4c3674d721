/** Imports a file into a list in batches; retries failed batches and reports refused rows. */

import type { Client } from '../connecting/client.ts'
import type { Invocation } from '../connecting/invocation.ts'
import { patiently } from '../connecting/search.ts'
import { type CliError, cliError, exitCodes, isCliError, usageError } from '../terminal/cliError.ts'
import { inputLines } from '../terminal/input.ts'
import { openProgress } from '../terminal/progress.ts'
import { printable } from '../terminal/screen.ts'
import { type Batch, batchesOf, type Format } from './rowBatches.ts'

interface Importing {
  readonly client: Client
  /** Of the list. */
  readonly path: string
  readonly file: string
  readonly format: Format
  /** As it was given. */
  readonly afterLine: string
}

/** What became of a line, numbered as in the file. */
interface Refusal {
  readonly line: number
  readonly value?: string
  readonly message: string
}

interface Imported {
  readonly added: number
  readonly changed: number
  readonly unchanged: number
  readonly refused: number
  /** The first of the lines that were refused. */
  readonly refusals: readonly Refusal[]
}

/** Lines that are told of, each. */
const refusalsMax = 100

/**
 * Imports the file; prints progress and refused rows on stderr. Throws the error that ends it, with the row after which the import can
 * be resumed.
 */
export async function importEntries(
  { context, flags }: Invocation,
  { client, path, file, format, afterLine }: Importing,
): Promise<Imported> {
  const progress = openProgress(context, flags)
  const tally = openTally(lineNumber(afterLine))
  const lines = inputLines(context, file)
  try {
    for await (const batch of batchesOf(lines, { format, afterLine: tally.line() })) {
      const answers = await patiently(context, () => sendBatch(client, { path, format, batch }))
      tally.add(answers, batch.lastLine)
      progress.show(`${batch.lastLine} lines`)
    }
  } catch (thrown) {
    throw isCliError(thrown) ? goOnAfter(thrown, tally.line()) : thrown
  } finally {
    progress.clear()
    if (!flags.json) tell(context, tally.refusals)
  }
  return { ...tally.sums, refusals: tally.refusals }
}

/** What has become of the lines up to one. */
function openTally(afterLine: number) {
  const sums = { added: 0, changed: 0, unchanged: 0, refused: 0 }
  const refusals: Refusal[] = []
  let line = afterLine
  return {
    sums,
    refusals,
    line: () => line,
    add: (answers: readonly Answer[], lastLine: number): void => {
      for (const { result, refusal } of answers) {
        sums[result] += 1
        if (refusal && refusals.length < refusalsMax) refusals.push(refusal)
      }
      line = lastLine
    },
  }
}

function tell({ stderr }: Invocation['context'], refusals: readonly Refusal[]): void {
  for (const refusal of refusals) stderr.write(`${lineOf(refusal)}\n`)
}

interface Answer {
  readonly result: 'added' | 'changed' | 'unchanged' | 'refused'
  readonly refusal?: Refusal
}

/** The answers to a batch, each line's. */
async function sendBatch(
  client: Client,
  { path, format, batch }: Pick<Importing, 'path' | 'format'> & { readonly batch: Batch },
): Promise<readonly Answer[]> {
  const type = format === 'csv' ? 'text/csv' : 'application/x-ndjson'
  const { body } = await client<{ lines: readonly Answered[] }>('POST', `${path}/entries/import`, {
    text: { type, content: batch.text },
  })
  const failed = body.lines.find(({ result }) => result === 'failed')
  if (failed) throw ended(failed)
  const answers = body.lines.filter(({ line }) => line !== undefined)
  return answers.map((answer) => answerOf(answer, batch.linesBefore))
}

/** A line of the service's answer. */
interface Answered {
  readonly line?: number
  readonly value?: string
  readonly result: Answer['result'] | 'failed' | 'done'
  readonly code?: string
  readonly message?: string
  readonly details?: readonly { readonly path: string; readonly message: string }[]
}

function answerOf({ line = 0, value, result, details = [] }: Answered, before: number): Answer {
  if (result !== 'refused') return { result: result as Answer['result'] }
  const message = details.map((detail) => `${detail.path} ${detail.message}`.trim()).join(' ')
  return {
    result,
    refusal: { line: line + before, ...(value !== undefined && { value }), message },
  }
}

function ended({ code = 'failed', message = 'The import failed.' }: Answered): CliError {
  const isTrouble = code === 'unavailable' || code === 'internal_error'
  return cliError(message, isTrouble ? exitCodes.unreachable : exitCodes.refused, { code })
}

function goOnAfter(error: CliError, line: number): CliError {
  const hint = `The lines up to ${line} are stored. Go on with: --after-line ${line}`
  return cliError(error.message, error.exitCode, { ...error.facts, after_line: line, hint })
}

function lineOf({ line, value, message }: Refusal): string {
  return printable(`vigil: line ${line}${value === undefined ? '' : ` (${value})`}: ${message}`)
}

function lineNumber(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw usageError('--after-line takes the number of a line.')
}
