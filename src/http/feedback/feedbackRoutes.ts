/** Declares the routes for sending feedback and reporting events of end users (spec 4.2). */

import {
  batchReceivedSchema,
  type FeedbackInput,
  recordFeedback,
  recordReportedEvents,
  reportedEventInputSchema,
} from '../../commands/feedback/recordReports.ts'
import {
  feedbackTypes,
  type ReportedTarget,
  reportBatchMax,
  reportedTargetSchema,
} from '../../domain/evaluation/feedback.ts'
import { type FailureDetail, invalidRequest } from '../../domain/failure.ts'
import {
  openObject,
  optional,
  type Schema,
  type SchemaOf,
  type TypeOf,
} from '../../domain/jsonSchema.ts'
import { pauseLongWork } from '../../domain/load/longWork.ts'
import {
  dispatchIdSchema,
  type FeedbackSignals,
  feedbackSignalsSchema,
} from '../../domain/signals/signalSchemas.ts'
import { targetFormats } from '../evaluation/evaluationBody.ts'
import { accountAccess } from '../request/access.ts'
import { type BodyReader, jsonBodyReader } from '../request/body/bodyReader.ts'
import { defineRoute, type Route } from '../request/route.ts'
import { areDetailsComplete, compileSchema, toFailureDetails } from '../request/schema/validator.ts'
import { metadataField, readCorrelationId } from '../signals/callerMetadata.ts'
import { pickSignals, readIp } from '../signals/normalizeSignals.ts'

const feedbackInputSchema = openObject('FeedbackInput', {
  target: reportedTargetSchema,
  type: { type: 'string', enum: feedbackTypes },
  signals: optional(feedbackSignalsSchema),
  dispatch_id: optional(dispatchIdSchema),
  metadata: metadataField,
})

const common = {
  method: 'POST',
  tag: 'Watch',
  access: accountAccess('feedback'),
  failures: [],
  answers: {
    200: { description: 'The whole batch is recorded.', schema: batchReceivedSchema },
  },
} as const

/** `POST /v2/watch/feedback` and `POST /v2/watch/event`. */
export const feedbackRoutes: readonly Route[] = [
  defineRoute({
    ...common,
    path: '/v2/watch/feedback',
    operationId: 'sendFeedback',
    summary: 'Send feedback on verifications, 1 to 100 at once',
    body: buildBatchBody({
      title: 'FeedbackBatch',
      name: 'feedbacks',
      entry: feedbackInputSchema,
      readEntry: readFeedback,
    }),
    serve: ({ context, call, body }) => recordFeedback(context, call, body),
  }),
  defineRoute({
    ...common,
    path: '/v2/watch/event',
    operationId: 'reportEvents',
    summary: 'Report events of end users, 1 to 100 at once',
    body: buildBatchBody({
      title: 'ReportedEventBatch',
      name: 'events',
      entry: reportedEventInputSchema,
      readEntry: ({ target, ...event }, problems, path) => ({
        target: readTarget(target, problems, `${path}.target`),
        label: event.label,
        confidence: event.confidence,
      }),
    }),
    serve: ({ context, call, body }) => recordReportedEvents(context, call, body),
  }),
]

function readFeedback(
  { target, type, signals, dispatch_id, ...rest }: TypeOf<typeof feedbackInputSchema>,
  problems: FailureDetail[],
  path: string,
): FeedbackInput {
  const kept = signals && readSignals(signals, problems, `${path}.signals`)
  return {
    target: readTarget(target, problems, `${path}.target`),
    type,
    ...(dispatch_id !== undefined && { dispatch_id }),
    ...(kept !== undefined && { signals: kept }),
    ...readCorrelationId(rest),
  }
}

/** Undefined when none was sent. `existing_user` and `ext` are not listed for feedback, and ignored. */
function readSignals(
  signals: FeedbackSignals,
  problems: FailureDetail[],
  path: string,
): FeedbackSignals | undefined {
  const ip = readIp(signals.ip, problems, `${path}.ip`)
  const { existing_user: _, ...kept } = pickSignals(signals, ip)
  return Object.keys(kept).length > 0 ? kept : undefined
}

/** The canonical target; a `value` that does not match its `type` is added to the problems under `path`. */
function readTarget(
  { type, value }: ReportedTarget,
  problems: FailureDetail[],
  path: string,
): ReportedTarget {
  const { canonical, message } = targetFormats[type]
  const read = canonical(value)
  if (read === undefined) problems.push({ path: `${path}.value`, message })
  return { type, value: read ?? '' }
}

interface BatchOf<Given, Input> {
  /** Of the whole body. */
  readonly title: string
  /** The field under which the list stands. */
  readonly name: string
  readonly entry: SchemaOf<Given>
  /** The entry as the service takes it. What is wrong is added to the problems, under `path` and further. */
  readonly readEntry: (given: Given, problems: FailureDetail[], path: string) => Input
}

/** Builds the reader of a batch of 1 to 100 entries, which throws `invalid_request` with a detail for every invalid field. */
function buildBatchBody<Given, Input>(of: BatchOf<Given, Input>): BodyReader<readonly Input[]> {
  const schema: Schema = {
    title: of.title,
    type: 'object',
    properties: {
      [of.name]: { type: 'array', minItems: 1, maxItems: reportBatchMax, items: of.entry },
    },
    required: [of.name],
    description: 'Unknown fields are ignored.',
  }
  const fits = compileSchema<Readonly<Record<string, readonly Given[]>>>(schema)

  return jsonBodyReader(schema, 'large', async (body) => {
    const found = fits(body) ? [] : toFailureDetails(fits.errors)
    if (found.length > 0 && !areDetailsComplete(body, found)) throw invalidRequest(found)
    const problems = [...found]
    const inputs: Input[] = []
    for (const [index, entry] of listEntries(body, of.name).entries()) {
      const path = `${of.name}.${index}`
      // an entry that its schema refuses has been spoken of
      if (found.some((detail) => detail.path === path || detail.path.startsWith(`${path}.`))) {
        continue
      }
      inputs.push(of.readEntry(entry as Given, problems, path))
      await pauseLongWork()
    }
    if (problems.length > 0) throw invalidRequest(problems)
    return inputs
  })
}

function listEntries(body: unknown, name: string): readonly unknown[] {
  const list: unknown = typeof body === 'object' && body !== null ? { ...body } : {}
  const entries = (list as Readonly<Record<string, unknown>>)[name]
  return Array.isArray(entries) ? entries.slice(0, reportBatchMax) : []
}
