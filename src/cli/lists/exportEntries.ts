/** Runs `vigil lists export`: writes the entries of a list to a file or standard output. */

import { appendFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { asEntryReason } from '../../domain/lists/lists.ts'
import { formatCsvLine } from '../../domain/text/csv.ts'
import type { EntryView } from '../../queries/lists/entries.ts'
import type { Client } from '../connecting/client.ts'
import type { ReadParameter } from '../connecting/commandDefinition.ts'
import type { Invocation } from '../connecting/invocation.ts'
import { readListPages, retryWhileUnavailable } from '../connecting/pagination.ts'
import { namedResources } from '../connecting/resourceId.ts'
import { usageError } from '../terminal/cliError.ts'
import type { FileFormat } from '../terminal/optionValues.ts'
import { escapeControls, openProgress } from '../terminal/screen.ts'
import { detectFileFormat } from './importEntries.ts'

/** The columns of a CSV file, as in the API's own export. */
const columns = ['value', 'reason', 'expires_at', 'created_at'] as const

/**
 * Runs `vigil lists export`. A file is written whole or not at all, with progress on stderr. Throws `usage` for an output that is not a
 * file.
 */
export async function exportFile(invocation: Invocation, given: ReadParameter): Promise<undefined> {
  const { context, flags } = invocation
  const file = given('<file>') ?? '-'
  const format = given<FileFormat>('--format') ?? detectFileFormat(file)
  const path = `${namedResources.lists.path}/${given('<list>')}/entries`
  const client = await invocation.getClient()
  const again: Client = (...call) => retryWhileUnavailable(context, () => client(...call))
  const progress = openProgress(context, flags)
  const output = file === '-' ? openStdout(context) : openFile(file)
  let count = 0
  try {
    if (format === 'csv') output.write(`${formatCsvLine(columns)}\r\n`)
    for await (const { items } of readListPages<EntryView>(again, { path, name: 'entries' })) {
      output.write(items.map((entry) => lineOf(entry, format)).join(''))
      count += items.length
      progress.show(`${count} entries`)
    }
    output.keep()
  } finally {
    output.end()
    progress.clear()
  }
  if (file === '-') return
  invocation.print({ entries: count }, () => [escapeControls(`${count} entries in ${file}.`)])
}

function lineOf(given: EntryView, format: FileFormat): string {
  const { reason } = given
  const entry = reason === undefined ? given : { ...given, reason: asEntryReason(reason) }
  if (format === 'ndjson') return `${JSON.stringify(entry)}\n`
  return `${formatCsvLine(columns.map((column) => entry[column] ?? ''))}\r\n`
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
