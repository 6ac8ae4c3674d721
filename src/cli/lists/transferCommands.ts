/** Adds `vigil lists import` and `vigil lists export`. */

import { closeSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import { type Command, Option } from 'commander'
import { asEntryReason } from '../../domain/lists/lists.ts'
import { csvLine } from '../../domain/text/csvFields.ts'
import type { EntryView } from '../../queries/lists/entries.ts'
import type { Client } from '../connecting/client.ts'
import { type Invocation, type Run, serve } from '../connecting/invocation.ts'
import { refuseSharedInput } from '../connecting/refuseSharedInput.ts'
import { pagesOf, patiently } from '../connecting/search.ts'
import { type ExitCode, exitCodes, usageError } from '../terminal/cliError.ts'
import { describe } from '../terminal/describe.ts'
import { openProgress } from '../terminal/progress.ts'
import { printable } from '../terminal/screen.ts'
import { fieldLines } from '../terminal/table.ts'
import { importEntries } from './importEntries.ts'
import { listPath } from './listId.ts'
import { type Format, formats } from './rowBatches.ts'

/** The columns of a CSV file, as the service writes it. */
const columns = ['value', 'reason', 'expires_at', 'created_at'] as const

/** A page may be short: of lists of a million, many of whose entries have expired. */
const pagesMax = 1_000_000

const takes = {
  '<list>': 'its id or name',
  '[file]': '- for standard input or output, as unless given',
}
const formatOption = () =>
  new Option('--format <format>', 'what the file is; as its name ends, else ndjson').choices(
    formats,
  )

/** Adds `import` and `export`. */
export function addTransferCommands(lists: Command, run: Run): void {
  describe(lists, {
    usage: 'import',
    takes,
    summary: 'Put all of a file on a list; sent again after a cut it changes nothing twice.',
    example: 'vigil lists import vip staff.csv',
  })
    .addOption(formatOption())
    .option('--after-line <number>', 'leave out the lines up to this one')
    .action(serve<ImportOptions>(run, importFile))
  describe(lists, {
    usage: 'export',
    takes,
    summary: 'Write all that stands on a list as a file that can be imported.',
    example: 'vigil lists export vip staff.csv',
  })
    .addOption(formatOption())
    .action(serve<FormatOption>(run, exportFile))
}

interface FormatOption {
  readonly format?: Format
}

interface ImportOptions extends FormatOption {
  readonly afterLine?: string
}

async function importFile(
  invocation: Invocation,
  { format, afterLine = '0' }: ImportOptions,
  ...[list = '', file = '-']: readonly string[]
): Promise<ExitCode> {
  if (file === '-') refuseSharedInput(invocation, 'lines')
  const client = await invocation.client()
  const path = await listPath(client, list)
  const importing = { client, path, file, format: format ?? formatOf(file), afterLine }
  const { refusals, ...sums } = await importEntries(invocation, importing)
  invocation.print({ ...sums, refusals }, () => fieldLines(sums))
  return sums.refused > 0 ? exitCodes.refused : exitCodes.done
}

async function exportFile(
  invocation: Invocation,
  { format }: FormatOption,
  ...[list = '', file = '-']: readonly string[]
): Promise<undefined> {
  const client = await invocation.client()
  const path = await listPath(client, list)
  const written = await exportEntries(invocation, {
    client,
    path,
    file,
    format: format ?? formatOf(file),
  })
  if (file === '-') return
  invocation.print({ entries: written }, () => [printable(`${written} entries in ${file}.`)])
}

function formatOf(file: string): Format {
  return file.toLowerCase().endsWith('.csv') ? 'csv' : 'ndjson'
}

interface Exporting {
  readonly client: Client
  /** Of the list. */
  readonly path: string
  readonly file: string
  readonly format: Format
}

/** Says on stderr how far it has come, and answers with how many entries there were. A file is there when it is whole, or not at all. Throws `usage` for a place that is no file. */
async function exportEntries(
  { context, flags }: Invocation,
  { client, path, file, format }: Exporting,
): Promise<number> {
  const progress = openProgress(context, flags)
  const again: Client = (...call) => patiently(context, () => client(...call))
  const out = file === '-' ? toStdout(context) : openFile(file)
  let count = 0
  try {
    if (format === 'csv') out.write(`${csvLine(columns)}\r\n`)
    for await (const page of pagesOf<EntryView>(again, {
      path: `${path}/entries`,
      name: 'entries',
      pagesMax,
    })) {
      out.write(page.map((entry) => lineOf(entry, format)).join(''))
      count += page.length
      progress.show(`${count} entries`)
    }
    out.keep()
  } finally {
    out.end()
    progress.clear()
  }
  return count
}

function lineOf(given: EntryView, format: Format): string {
  const { reason } = given
  const entry = reason === undefined ? given : { ...given, reason: asEntryReason(reason) }
  if (format === 'ndjson') return `${JSON.stringify(entry)}\n`
  return `${csvLine(columns.map((column) => entry[column] ?? ''))}\r\n`
}

interface Out {
  readonly write: (text: string) => void
  /** All of it is written: what there is, is to stay. */
  readonly keep: () => void
  /** Takes away what is not to stay. */
  readonly end: () => void
}

function toStdout({ stdout }: Invocation['context']): Out {
  return { write: stdout.write, keep: () => undefined, end: () => undefined }
}

/** Throws `usage` for what is there and is no file, such as a pipe: the file that is written would take its place. */
function openFile(file: string): Out {
  const there = statSync(file, { throwIfNoEntry: false })
  if (there && !there.isFile()) {
    throw usageError(`${file} is not a file. For standard output, which can lead anywhere, give -.`)
  }
  const beside = `${file}.${process.pid}.part`
  const descriptor = openSync(beside, 'wx')
  return {
    write: (text) => {
      for (let rest = Buffer.from(text); rest.length > 0; ) {
        rest = rest.subarray(writeSync(descriptor, rest))
      }
    },
    keep: () => renameSync(beside, file),
    end: () => {
      closeSync(descriptor)
      rmSync(beside, { force: true })
    },
  }
}
