/** Imports evaluations of the past with their labels, and names the lines that fail. */

import { Readable } from 'node:stream'
import type { Call } from '../../domain/call.ts'
import type { ReportedTarget } from '../../domain/evaluation/feedback.ts'
import { Failure, type FailureDetail, invalidRequest } from '../../domain/failure.ts'
import { countSchema, openObject, optional, type TypeOf, text } from '../../domain/jsonSchema.ts'
import type { EvaluatedTarget } from '../../domain/signals/signals.ts'
import { type AccountStreams, requireAuthoring } from '../../state/accounts/requireAccess.ts'
import type { EvaluationContext } from '../evaluation/evaluateFlow.ts'
import { type EvaluationToImport, importEvaluation } from '../evaluation/importEvaluation.ts'
import type { CommandContext } from '../handling/commandContext.ts'
import { waitUntilVisible } from '../handling/executeCommand.ts'
import { pauseBetweenLines } from '../lists/importEntries.ts'
import { type ReportedEventInput, recordImportedLabel } from './recordReports.ts'

/** Lines that an answer names, of those that were not imported. */
const errorsMax = 100
/** Problems that are named of each. */
const detailsMax = 10

export const evaluationImportSchema = openObject('EvaluationImport', {
  imported: {
    ...countSchema,
    description: 'Lines recorded now; of a dry run those that would be.',
  },
  repeated: { ...countSchema, description: 'Lines that were on record, under the same ids.' },
  failed: countSchema,
  errors: {
    type: 'array',
    maxItems: errorsMax,
    description: `The first ${errorsMax} lines that failed; the others were not stopped by them.`,
    items: openObject('ImportLineError', {
      line: { type: 'integer', minimum: 1, description: 'From 1, empty lines included.' },
      id: optional({ ...text, description: "The caller's id." }),
      details: {
        type: 'array',
        items: openObject('ImportLineProblem', { path: text, message: text }),
      },
    }),
  },
  position: optional({
    ...text,
    description: 'Position in the log: with it as min_position a list has all lines.',
  }),
})
export type EvaluationImport = TypeOf<typeof evaluationImportSchema>
type LineError = EvaluationImport['errors'][number]

/** What an evaluation is known to have been; its target is that of the evaluation. */
type ImportedLabel = Pick<ReportedEventInput, 'label' | 'confidence' | 'occurred_at'>

/** An evaluation of the past, or what is wrong with its line. */
export interface EvaluationLine {
  /** From 1. */
  readonly line: number
  readonly input?: EvaluationToImport & { readonly labels: readonly ImportedLabel[] }
  readonly details?: readonly FailureDetail[]
  readonly id?: string
}

type Context = EvaluationContext &
  AccountStreams &
  Parameters<typeof recordImportedLabel>[0] &
  Pick<CommandContext, 'background' | 'projections'>

/** Lines under way at once; few, since each may look for an address on a list under every prefix length. */
const linesAtOnce = 4

interface Import {
  readonly lines: AsyncIterable<EvaluationLine>
  /** Whether the lines are only checked. */
  readonly isDryRun: boolean
}

/**
 * May be repeated: what is on record stays as it is. Throws `access_not_enabled`, and what ends the import when some
 * lines are stored: a failure of the lines as a whole, `rate_limited`, `unavailable`.
 */
export async function importEvaluations(
  context: Context,
  call: Call,
  { lines, isDryRun }: Import,
): Promise<EvaluationImport> {
  await requireAuthoring(context, call)
  const sharing = { ...context, listEntries: rememberLookups(context.listEntries) }
  const work = (line: EvaluationLine) => {
    const imported = importLine(sharing, call, { line, isDryRun })
    // waited for before the stores are closed, also when the import has ended with the failure of another line
    context.background.run(async () => {
      await imported.catch(() => undefined)
    })
    return imported
  }
  const begun = Readable.from(pauseBetweenLines(context, lines))
  const results: AsyncIterable<LineResult> = begun.map(work, { concurrency: linesAtOnce })
  const sums = { imported: 0, repeated: 0, failed: 0 }
  const errors: LineError[] = []
  let position = 0
  for await (const result of results) {
    sums[result.outcome] += 1
    if (result.outcome !== 'failed') position = Math.max(position, result.position)
    else if (errors.length < errorsMax) errors.push(result.error)
  }
  await waitUntilVisible(context, { position })
  return { ...sums, errors, ...(position > 0 && { position: String(position) }) }
}

/** Entries of lists that the lines of an import remember. */
const lookupsMax = 8_192

/** Looks each entry up once for many lines, whose addresses are in the same networks: most are on no list. */
function rememberLookups(entries: Context['listEntries']): Context['listEntries'] {
  const known = new Map<string, ReturnType<typeof entries.catchUp>>()
  return {
    ...entries,
    catchUp: (stream) => {
      const found = known.get(stream) ?? entries.catchUp(stream)
      if (known.size >= lookupsMax) known.clear()
      known.set(stream, found)
      return found
    },
  }
}

type LineResult =
  | { readonly outcome: 'imported' | 'repeated'; readonly position: number }
  | { readonly outcome: 'failed'; readonly error: LineError }

async function importLine(
  context: Context,
  call: Call,
  { line, isDryRun }: Pick<Import, 'isDryRun'> & { readonly line: EvaluationLine },
): Promise<LineResult> {
  const { input, details } = line
  if (!input) return toError(line, details)
  const { id, request, labels } = input
  try {
    assertPast(labels, context.clock.nowMs())
    const { evaluationId: evaluation_id, ...found } = await importEvaluation(context, call, {
      ...{ id, request, isDryRun },
    })
    let { position } = found
    const target = toReportedTarget(request.target)
    for (const label of isDryRun ? [] : labels) {
      const event = { ...label, target, evaluation_id }
      const recordedAt = await recordImportedLabel(context, call, { id, input: event })
      position = Math.max(position, recordedAt)
    }
    return { outcome: found.isRepeated ? 'repeated' : 'imported', position }
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'invalid_request') throw error
    return toError({ ...line, id }, error.details)
  }
}

/** Before anything of the line is recorded. */
function assertPast(labels: readonly ImportedLabel[], nowMs: number): void {
  const index = labels.findIndex(({ occurred_at = 0 }) => occurred_at > nowMs)
  if (index < 0) return
  throw invalidRequest([{ path: `labels.${index}.occurred_at`, message: 'Must be in the past.' }])
}

function toError(
  { line, id }: Pick<EvaluationLine, 'line' | 'id'>,
  details: readonly FailureDetail[] = [],
): LineResult {
  const named = details.slice(0, detailsMax).map(({ path, message }) => ({ path, message }))
  return { outcome: 'failed', error: { line, ...(id !== undefined && { id }), details: named } }
}

function toReportedTarget({ phone_number, email_address = '' }: EvaluatedTarget): ReportedTarget {
  return phone_number === undefined
    ? { type: 'email_address', value: email_address }
    : { type: 'phone_number', value: phone_number }
}
