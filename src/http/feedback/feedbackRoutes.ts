/** Declares the routes that send feedback and reported events (spec 4.2), and list them. */

import {
  batchReceivedSchema,
  type FeedbackInput,
  labelSchema,
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
import { runInSlices } from '../../domain/load/scheduler.ts'
import type { Steps } from '../../domain/load/steps.ts'
import {
  dispatchIdSchema,
  type FeedbackSignals,
  feedbackSignalsSchema,
} from '../../domain/signals/signalSchemas.ts'
import {
  type FeedbackQuery,
  feedbackListSchema,
  listFeedback,
  listReportedEvents,
  type ReportedEventsQuery,
  reportedEventListSchema,
} from '../../queries/feedback/reports.ts'
import { metadataField, readCorrelationId, targetFormats } from '../evaluation/evaluationBody.ts'
import { accountAccess } from '../request/access.ts'
import { pageAnswer } from '../request/answer.ts'
import { type BodyReader, jsonBodyReader } from '../request/body/bodyReader.ts'
import {
  buildTimeRangeReader,
  filterParameters,
  timeOrderedListParameters,
} from '../request/filterParameters.ts'
import { choiceParameter, type QueryReader, textParameter } from '../request/queryReader.ts'
import { defineRoute, type Route } from '../request/route.ts'
import { areDetailsComplete, compileSchema, toFailureDetails } from '../request/schema/validator.ts'
import { pickSignals, readIp } from '../signals/normalizeSignals.ts'

const target = {
  phone_number: filterParameters.phone_number,
  email_address: filterParameters.email_address,
}

/** `phone_number` or `email_address`, `type`, `correlation_id`, and those of a search by time. */
const feedbackQuery: QueryReader<FeedbackQuery> = reportsQuery(
  buildTimeRangeReader({
    ...target,
    type: choiceParameter('type', feedbackTypes, 'Only of this type.'),
    correlationId: filterParameters.correlation_id,
    ...timeOrderedListParameters,
  }),
)

const isLabel = new RegExp(labelSchema.pattern)

const labelParameter = {
  ...textParameter('label', 'Only with this label.', labelSchema.maxLength),
  schema: labelSchema,
  parse: (text: string) =>
    text.length <= labelSchema.maxLength && isLabel.test(text) ? text : undefined,
  message: `Must be a string of 1 to ${labelSchema.maxLength} characters that fits ${labelSchema.pattern}.`,
}

/** `phone_number` or `email_address`, `label`, and those of a search by time. */
const reportedEventsQuery: QueryReader<ReportedEventsQuery> = reportsQuery(
  buildTimeRangeReader({ ...target, label: labelParameter, ...timeOrderedListParameters }),
)

type TargetTexts = Readonly<Partial<Record<ReportedTarget['type'], string>>>

/** Reads both forms of a target as one. */
function reportsQuery<Given extends TargetTexts>({ read, parameters }: QueryReader<Given>) {
  return {
    parameters,
    read: (given: Parameters<typeof read>[0], details: FailureDetail[]) => {
      const { phone_number: phone, email_address: email, ...query } = read(given, details)
      if (phone !== undefined && email !== undefined) {
        const message = 'Must not stand together with phone_number: a report is of one of them.'
        details.push({ path: 'email_address', message })
      }
      const type = phone === undefined ? 'email_address' : 'phone_number'
      const value = phone ?? email
      return { ...query, ...(value !== undefined && { target: { type, value } as const }) }
    },
  }
}

const feedbackInputSchema = openObject('FeedbackInput', {
  target: reportedTargetSchema,
  type: { type: 'string', enum: feedbackTypes },
  signals: optional(feedbackSignalsSchema),
  dispatch_id: optional(dispatchIdSchema),
  metadata: metadataField,
})

const sending = {
  method: 'POST',
  tag: 'Watch',
  access: accountAccess('feedback'),
  failures: [],
  answers: {
    200: { description: 'The whole batch is recorded.', schema: batchReceivedSchema },
  },
} as const

const listing = { method: 'GET', tag: 'Analysis', access: accountAccess('analyse') } as const

/** `/v2/watch/feedback` and `/v2/watch/event`. */
export const feedbackRoutes: readonly Route[] = [
  defineRoute({
    ...sending,
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
    ...sending,
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
  defineRoute({
    ...listing,
    path: '/v2/watch/feedback',
    operationId: 'listFeedback',
    summary: 'List received feedback by time',
    query: feedbackQuery,
    answers: { 200: { description: 'One page of feedback.', schema: feedbackListSchema } },
    serve: ({ context, call, query }) =>
      pageAnswer('feedbacks', listFeedback(context, call, query)),
  }),
  defineRoute({
    ...listing,
    path: '/v2/watch/event',
    operationId: 'listReportedEvents',
    summary: 'List reported events by time',
    query: reportedEventsQuery,
    answers: { 200: { description: 'One page of events.', schema: reportedEventListSchema } },
    serve: ({ context, call, query }) =>
      pageAnswer('events', listReportedEvents(context, call, query)),
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
  const { canonical, describeRefusal } = targetFormats[type]
  const read = canonical(value)
  if (read === undefined) {
    problems.push({ path: `${path}.value`, message: describeRefusal(value) })
  }
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

  function* readEntries(body: unknown): Steps<readonly Input[]> {
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
      yield
    }
    if (problems.length > 0) throw invalidRequest(problems)
    return inputs
  }
  return jsonBodyReader(schema, { size: 'large' }, (body, context) =>
    runInSlices(context, readEntries(body)),
  )
}

function listEntries(body: unknown, name: string): readonly unknown[] {
  const list: unknown = typeof body === 'object' && body !== null ? { ...body } : {}
  const entries = (list as Readonly<Record<string, unknown>>)[name]
  return Array.isArray(entries) ? entries.slice(0, reportBatchMax) : []
}
