/** Declares `export` of evaluations, events and feedback: downloads NDJSON, CSV or Parquet. */

import { usageError } from '../terminal/cliError.ts'
import { integerOption } from '../terminal/optionValues.ts'
import { openOutputFile } from '../terminal/outputFile.ts'
import { escapeControls, formatCount, openProgress } from '../terminal/screen.ts'
import {
  type CommandDefinition,
  type FieldSources,
  fillFields,
  type OptionDefinitions,
} from './commandDefinition.ts'
import type { Invocation } from './invocation.ts'

const formats = ['ndjson', 'csv', 'parquet'] as const

interface ExportOf extends Pick<CommandDefinition, 'summary' | 'example'> {
  /** Of the route that exports. */
  readonly path: `/${string}`
  readonly options: OptionDefinitions
  readonly query: FieldSources
}

/** The command that writes the answer of this route to a file, which appears once it is complete. */
export function exportCommand({ path, options, query, ...texts }: ExportOf): CommandDefinition {
  return {
    ...texts,
    arguments: { '[file]': '- for standard output, the default' },
    options: {
      ...options,
      '--columns <names>': 'columns, separated by commas; see the guide of analysis',
      '--limit <n>': integerOption('the most rows; all by default'),
      '--format <format>': {
        description: 'by default csv or parquet for a name that ends so, else ndjson',
        choices: formats,
      },
      '--excel': 'of CSV: with a byte order mark, and an apostrophe in front of formulas',
    },
    check: ({ given, context }) => {
      const { file, format } = readTarget(given)
      if (given('--excel') && format !== 'csv') throw usageError('--excel is of CSV alone.')
      if (format === 'parquet' && file === '-' && context.stdout.isTty) {
        throw usageError('Parquet is no text for a terminal: name a file.')
      }
    },
    run: (invocation) => {
      const { given } = invocation
      const all = { ...query, columns: '--columns', limit: '--limit', excel: '--excel' } as const
      const { format } = readTarget(given)
      return download(invocation, path, { ...fillFields(all, given), format })
    },
  }
}

/** The file, and its format, by default the one of its name. */
function readTarget(given: Invocation['given']) {
  const file = given('<file>') ?? '-'
  const usual = formats.find((format) => file.toLowerCase().endsWith(`.${format}`)) ?? 'ndjson'
  return { file, format: given<(typeof formats)[number]>('--format') ?? usual }
}

async function download(
  { client, context, flags, given, print }: Invocation,
  path: string,
  query: object,
): Promise<undefined> {
  const { file } = readTarget(given)
  const progress = openProgress(context, flags)
  const output = openOutputFile(context, file)
  let bytes = 0
  const receive = async (pieces: AsyncIterable<Uint8Array>): Promise<void> => {
    for await (const piece of pieces) {
      output.write(piece)
      bytes += piece.byteLength
      progress.show(formatCount(bytes, 'byte'))
    }
  }
  try {
    await client('GET', path, { query: { ...query }, receive })
    output.keep()
  } finally {
    output.end()
    progress.clear()
  }
  if (file === '-') return
  print({ bytes }, () => [escapeControls(`${formatCount(bytes, 'byte')} in ${file}.`)])
}
