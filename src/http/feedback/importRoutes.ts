/** Declares the route that imports evaluations of the past, one a line, with their labels. */

import {
  type EvaluationLine,
  evaluationImportSchema,
  importEvaluations,
} from '../../commands/feedback/importEvaluations.ts'
import { confidences, labelSchema } from '../../domain/evaluation/feedback.ts'
import { Failure, type FailureDetail, invalidRequest } from '../../domain/failure.ts'
import { inputLimits, openObject, optional, type TypeOf } from '../../domain/jsonSchema.ts'
import { signalsSchema } from '../../domain/signals/signalSchemas.ts'
import { parseIsoTimeMs } from '../../engine/language/values/time.ts'
import {
  buildRefusal,
  listFieldNames,
  metadataField,
  readCorrelationId,
  readEvidence,
  targetSchema,
} from '../evaluation/evaluationBody.ts'
import type { ConcurrencyLimit } from '../lists/listLimits.ts'
import { accountAccess } from '../request/access.ts'
import { bodyBytesMax, parseJson } from '../request/body/jsonBody.ts'
import { buildLinesBodyReader } from '../request/body/rowsBody.ts'
import { buildQueryReader, choiceParameter, withFallback } from '../request/queryReader.ts'
import { defineRoute, type Route } from '../request/route.ts'
import { compileSchema } from '../request/schema/validator.ts'

const ndjsonType = 'application/x-ndjson'

/** Lines of a request, of which each is an evaluation; and characters of a line, as of the body of an evaluation. */
const linesMax = 1_000
const lineMax = bodyBytesMax.small
/** Labels of an evaluation. */
const labelsMax = 10

const time = { type: 'string', maxLength: 40 } as const

const importedEvaluationSchema = openObject('ImportedEvaluation', {
  id: {
    type: 'string',
    minLength: 1,
    maxLength: inputLimits.id,
    description: "The caller's id: a line that is sent again is not imported again.",
  },
  flow_id: { type: 'string', minLength: 1, maxLength: inputLimits.id },
  occurred_at: { ...time, description: 'When it was, in RFC 3339 with a zone; in the past.' },
  target: targetSchema,
  signals: optional({
    ...signalsSchema,
    description: 'Those of the device and the network count as if a dispatch had carried them.',
  }),
  metadata: metadataField,
  labels: optional({
    type: 'array',
    maxItems: labelsMax,
    items: openObject('ImportedLabel', {
      label: labelSchema,
      confidence: { type: 'string', enum: confidences },
      occurred_at: optional({ ...time, description: 'When it happened, likewise.' }),
    }),
    description: 'What it turned out to be: each becomes an event that names the evaluation.',
  }),
})
type ImportedBody = TypeOf<typeof importedEvaluationSchema>

const fits = compileSchema(importedEvaluationSchema)
const known = listFieldNames(importedEvaluationSchema)

const importQuery = buildQueryReader({
  dryRun: withFallback(
    choiceParameter('dry_run', ['true', 'false'], 'Check the lines, and record nothing.'),
    'false',
  ),
})

const example =
  '{"id":"order-4711","flow_id":"flo_01jc0t6fwwfgfsq1md24mhyztj","occurred_at":"2025-11-20T10:00:00Z","target":{"phone_number":"+33612345678"}}\n'

/** `POST /v2/watch/evaluations/import`; `imports` limits it together with the imports of lists. */
export function evaluationImportRoute(imports: ConcurrencyLimit): Route {
  return defineRoute({
    method: 'POST',
    path: '/v2/watch/evaluations/import',
    kind: 'plain',
    operationId: 'importEvaluations',
    summary: `Import evaluations of the past, one a line, ${linesMax} at most; can be repeated`,
    tag: 'Authoring',
    access: accountAccess('author'),
    query: importQuery,
    body: buildLinesBodyReader({ [ndjsonType]: example }, { cutAt: lineMax }),
    failures: ['access_not_enabled'],
    answers: { 200: { description: 'What became of the lines.', schema: evaluationImportSchema } },
    serve: async ({ context, call, query, body }) => {
      const end = imports(call.principal.accountId)
      try {
        const isDryRun = query.dryRun === 'true'
        const lines = parseLines(body.lines)
        return { value: await importEvaluations(context, call, { lines, isDryRun }) }
      } finally {
        end()
      }
    },
  })
}

async function* parseLines(lines: AsyncIterable<string>): AsyncGenerator<EvaluationLine> {
  let line = 0
  for await (const text of lines) {
    line += 1
    if (line > linesMax) {
      const message = `Must have at most ${linesMax} lines; those before may have been imported.`
      throw invalidRequest([{ path: 'body', message }])
    }
    if (text !== '') yield parseLine(line, text)
  }
}

function parseLine(line: number, text: string): EvaluationLine {
  if (text.length > lineMax) {
    return { line, details: [{ path: '', message: `Must have at most ${lineMax} characters.` }] }
  }
  let body: object | undefined
  try {
    body = parseJson(Buffer.from(text))
    return { line, input: readImported(body) }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { line, ...findId(body), details: error.details ?? [] }
  }
}

/** The id by which a line that fails is named, where it has one. */
function findId(body: object | undefined): { readonly id?: string } {
  const id: unknown = body && Reflect.get(body, 'id')
  return typeof id === 'string' ? { id: id.slice(0, inputLimits.id) } : {}
}

/** Throws `invalid_request`. */
function readImported(body: unknown): NonNullable<EvaluationLine['input']> {
  if (!fits(body)) throw buildRefusal(body, fits)
  const { id, flow_id, labels = [] } = body
  const problems: FailureDetail[] = []
  const { notCounted, ...evidence } = readEvidence(body, known)
  const occurred_at = readTime(body.occurred_at, 'occurred_at', problems)
  const read = labels.map((label, index) => readLabel(label, `labels.${index}`, problems))
  if (problems.length > 0) throw invalidRequest(problems)
  const request = {
    ...{ flow_id, ...evidence, ...readCorrelationId(body), occurred_at },
    ...(notCounted.length > 0 && { notCounted }),
  }
  return { id, request, labels: read }
}

function readLabel(
  { label, confidence, occurred_at }: NonNullable<ImportedBody['labels']>[number],
  path: string,
  problems: FailureDetail[],
) {
  return {
    ...{ label, confidence },
    ...(occurred_at !== undefined && {
      occurred_at: readTime(occurred_at, `${path}.occurred_at`, problems),
    }),
  }
}

/** Milliseconds since the Unix epoch; 0 with a problem. */
function readTime(text: string, path: string, problems: FailureDetail[]): number {
  const timeMs = parseIsoTimeMs(text)
  if (timeMs === undefined) {
    problems.push({ path, message: 'Must be a time in RFC 3339 with a zone, from 1970 on.' })
  }
  return timeMs ?? 0
}
