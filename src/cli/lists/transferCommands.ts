/** The part of `vigil lists` that brings files in and takes them out. */

import { type Command, Option } from 'commander'
import { type Invocation, type Run, serve } from '../connecting/invocation.ts'
import { refuseSharedInput } from '../connecting/refuseSharedInput.ts'
import { describe } from '../terminal/describe.ts'
import { type ExitCode, exitCodes } from '../terminal/exitCode.ts'
import { fieldLines } from '../terminal/fields.ts'
import { printable } from '../terminal/printable.ts'
import { exportEntries } from './exportEntries.ts'
import { importEntries } from './importEntries.ts'
import { type Format, formats } from './lineBatches.ts'
import { listPath } from './listId.ts'

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
