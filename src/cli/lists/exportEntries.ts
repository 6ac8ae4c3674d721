/** Writes all that stands on a list as a file, page by page as the service gives it. */

import { closeSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import { csvLine } from '../../domain/csvFields.ts'
import { asEntryReason } from '../../domain/entryReason.ts'
import type { EntryView } from '../../service/lists/listsPart.ts'
import type { Client } from '../connecting/client.ts'
import type { Invocation } from '../connecting/invocation.ts'
import { pagesOf } from '../connecting/listAll.ts'
import { patiently } from '../connecting/patiently.ts'
import { usageError } from '../terminal/cliError.ts'
import { openProgress } from '../terminal/progress.ts'
import type { Format } from './lineBatches.ts'

interface Exporting {
  readonly client: Client
  /** Of the list. */
  readonly path: string
  readonly file: string
  readonly format: Format
}

/** The columns of a CSV file, as the service writes it. */
const columns = ['value', 'reason', 'expires_at', 'created_at'] as const

/** A page may be short: of lists of a million, many of whose entries have expired. */
const pagesMax = 1_000_000

/** Says on stderr how far it has come, and answers with how many entries there were. A file is there when it is whole, or not at all. Throws `usage` for a place that is no file. */
export async function exportEntries(
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
