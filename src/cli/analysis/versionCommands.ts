/** Declares `vigil versions verdicts`: what the flow of today would answer otherwise. */

import type {
  VersionVerdict,
  VersionVerdictsView,
} from '../../queries/analysis/backtest/versionVerdicts.ts'
import { type CommandDefinition, fillFields } from '../connecting/commandDefinition.ts'
import { encodePathSegment, type Invocation } from '../connecting/invocation.ts'
import { createCliError, exitCodes } from '../terminal/cliError.ts'
import { timeFormats, timeOption } from '../terminal/optionValues.ts'
import { escapeControls, formatCount, openProgress, printableJson } from '../terminal/screen.ts'

export const versionCommands: CommandDefinition = {
  summary: 'Find what was decided under a version of a rule, recipe or flow.',
  commands: {
    verdicts: {
      arguments: {
        '<version>': 'the id of the version, as rules, recipes and flows versions list them',
      },
      summary: 'Print the verdicts given under a version that the flow of today would change.',
      example: 'vigil versions verdicts ver_01jc0t6fwwfgfsq1md24mhyztj >verdicts.ndjson',
      options: {
        '--where <conditions>': 'only of evaluations that fulfil them, such as "verdict = FLAG"',
        '--from <time>': timeOption(`from this time on: ${timeFormats}; all by default`),
        '--to <time>': timeOption('up to this time, not included; now by default'),
        '--lists <then|now>': {
          description: 'what lists answer: as it is on record, or asked anew',
          choices: ['then', 'now'],
          default: 'then',
        },
      },
      run: printVerdicts,
    },
  },
}

interface Line {
  readonly verdict?: VersionVerdict
  readonly progress?: { readonly scanned: number; readonly done: number }
  readonly result?: VersionVerdictsView
}

/** Prints a line for each as it arrives, and what they add up to on stderr. */
async function printVerdicts({ client, context, flags, given }: Invocation): Promise<undefined> {
  const fields = { where: '--where', from: '--from', to: '--to', lists: '--lists' } as const
  const path = `/v2/watch/versions/${encodePathSegment(given('<version>') ?? '')}/verdicts`
  const progress = openProgress(context, flags)
  let result: VersionVerdictsView | undefined
  const receive = async (pieces: AsyncIterable<Uint8Array>): Promise<void> => {
    for await (const line of readLines(pieces)) {
      if (line.verdict) context.stdout.write(`${printableJson(line.verdict, 0)}\n`)
      if (line.progress) progress.show(formatProgress(line.progress))
      result ??= line.result
    }
  }
  try {
    await client('GET', path, { query: fillFields(fields, given), receive })
  } finally {
    progress.clear()
  }
  if (!result) throw createCliError('The answer broke off; ask again.', exitCodes.unreachable)
  context.stderr.write(`${formatResult(result)}\n`)
}

/** The whole lines of the body. */
async function* readLines(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const piece of pieces) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) yield JSON.parse(line) as Line
  }
}

function formatProgress({ scanned, done }: NonNullable<Line['progress']>): string {
  return done === 0
    ? `looking for the version: ${formatCount(scanned, 'evaluation')}`
    : `trying the flow of today: ${Math.floor(100 * done)} %`
}

function formatResult(found: VersionVerdictsView): string {
  const { from, to, evaluations, to_flag, to_pass, not_evaluated, forgotten, without_flow } = found
  const unknown = [
    ...(not_evaluated > 0 ? [`${not_evaluated} depend on what is not on record`] : []),
    ...(forgotten > 0 ? [`the evidence of ${forgotten} has been erased`] : []),
    ...(without_flow > 0 ? [`${without_flow} are of flows that there are no more`] : []),
  ].map((part) => `; ${part}`)
  const span = escapeControls(`${from} to ${to} (UTC)`)
  return `${formatCount(evaluations, 'evaluation')} ran the version, ${span}: the flow of today turns ${to_flag} to FLAG, ${to_pass} to PASS${unknown.join('')}.`
}
