/** Declares and reads batches of feedback and reported events; notes their unknown fields. */

import type { FeedbackInput, ReportedEventInput } from '../../commands/feedback/recordReports.ts'
import type { ReportDetails } from '../../commands/feedback/reportDetails.ts'
import {
  confidences,
  feedbackTypes,
  labelSchema,
  pickDetails,
  type ReportedTarget,
  reportBatchMax,
  reportedTargetSchema,
} from '../../domain/evaluation/feedback.ts'
import { type FailureDetail, invalidRequest } from '../../domain/failure.ts'
import { idPrefixes } from '../../domain/ids.ts'
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
import { parseIsoTimeMs } from '../../engine/language/values/time.ts'
import { metadataField, readCorrelationId, targetFormats } from '../evaluation/evaluationBody.ts'
import { type BodyReader, jsonBodyReader } from '../request/body/bodyReader.ts'
import { truncate } from '../request/errorBodies.ts'
import { areDetailsComplete, compileSchema, toFailureDetails } from '../request/schema/validator.ts'
import { pickSignals, readIp } from '../signals/normalizeSignals.ts'

/** What a report of either kind may say beside its target. */
const details = {
  evaluation_id: optional({
    type: 'string',
    pattern: `^${idPrefixes.evaluation}_[0-7][0-9a-z]{25}$`,
    description:
      'The evaluation that it is about: it counts for that one alone, without it for every earlier one of the target.',
  }),
  dispatch_id: optional(dispatchIdSchema),
  occurred_at: optional({
    type: 'string',
    maxLength: 40,
    description:
      'When it happened, in RFC 3339 with a zone, not in the future; when it is received by default.',
  }),
  amount: optional({
    type: 'string',
    pattern: '^(?:0|[1-9][0-9]{0,14})(?:\\.[0-9]{1,6})?$',
    description: 'What was lost or paid, as decimal text such as 129.90, with its currency.',
  }),
  currency: optional({
    type: 'string',
    pattern: '^[A-Z]{3}$',
    description: 'Of the amount, as in ISO 4217: EUR.',
  }),
  metadata: metadataField,
} as const

const feedbackInputSchema = openObject('FeedbackInput', {
  target: reportedTargetSchema,
  type: { type: 'string', enum: feedbackTypes },
  signals: optional(feedbackSignalsSchema),
  ...details,
})

const reportedEventInputSchema = openObject('ReportedEventInput', {
  target: reportedTargetSchema,
  label: {
    ...labelSchema,
    description:
      'The kind of event, such as account.banned or payment.chargeback. Stored in clear: it must not name a person.',
  },
  confidence: { type: 'string', enum: confidences, description: 'How confident the caller is.' },
  ...details,
})

/** Names of unknown fields that an answer lists, and characters of each. */
const ignoredMax = 16
const ignoredCharsMax = 64

/** What a batch is answered with (spec 2.8). */
export const batchReceivedSchema = openObject('BatchReceived', {
  status: { type: 'string', enum: ['success'] },
  request_id: {
    type: 'string',
    description:
      'Id of the request that recorded the batch; of the first one when an Idempotency-Key is repeated.',
  },
  ignored: optional({
    type: 'array',
    items: { type: 'string', maxLength: ignoredCharsMax },
    maxItems: ignoredMax,
    description: `Fields that were sent and are not known, such as signals.ext: ${ignoredMax} at most. Absent without any.`,
  }),
})

export const feedbackBatchBody = buildBatchBody<TypeOf<typeof feedbackInputSchema>, FeedbackInput>({
  title: 'FeedbackBatch',
  name: 'feedbacks',
  entry: feedbackInputSchema,
  readEntry: ({ target, type, signals, ...given }, problems, path) => {
    const kept = signals && readSignals(signals, problems, `${path}.signals`)
    return {
      target: readTarget(target, problems, `${path}.target`),
      type,
      ...readDetails(given, problems, path),
      ...(kept !== undefined && { signals: kept }),
    }
  },
})

export const reportedEventBatchBody = buildBatchBody<
  TypeOf<typeof reportedEventInputSchema>,
  ReportedEventInput
>({
  title: 'ReportedEventBatch',
  name: 'events',
  entry: reportedEventInputSchema,
  readEntry: ({ target, label, confidence, ...given }, problems, path) => ({
    target: readTarget(target, problems, `${path}.target`),
    label,
    confidence,
    ...readDetails(given, problems, path),
  }),
})

type GivenDetails = Pick<TypeOf<typeof reportedEventInputSchema>, keyof typeof details>

function readDetails(
  { dispatch_id, occurred_at, ...given }: GivenDetails,
  problems: FailureDetail[],
  path: string,
): ReportDetails {
  const occurredAtMs = occurred_at === undefined ? undefined : parseIsoTimeMs(occurred_at)
  if (occurred_at !== undefined && occurredAtMs === undefined) {
    const message = 'Must be a time in RFC 3339 with a zone, from 1970 on.'
    problems.push({ path: `${path}.occurred_at`, message })
  }
  const [isAmount, isCurrency] = [given.amount !== undefined, given.currency !== undefined]
  if (isAmount !== isCurrency) {
    const [absent, sent] = isCurrency ? ['amount', 'currency'] : ['currency', 'amount']
    problems.push({ path: `${path}.${absent}`, message: `Must stand together with ${sent}.` })
  }
  return {
    ...pickDetails({ ...given, ...(occurredAtMs !== undefined && { occurred_at: occurredAtMs }) }),
    ...(dispatch_id !== undefined && { dispatch_id }),
    ...readCorrelationId(given),
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

interface ReadBatch<Input> {
  readonly inputs: readonly Input[]
  /** Names of unknown fields. */
  readonly ignored: readonly string[]
}

/** Builds the reader of a batch of 1 to 100 entries: throws `invalid_request` with a detail for every invalid field. */
function buildBatchBody<Given, Input>(of: BatchOf<Given, Input>): BodyReader<ReadBatch<Input>> {
  const schema: Schema = {
    title: of.title,
    type: 'object',
    properties: {
      [of.name]: { type: 'array', minItems: 1, maxItems: reportBatchMax, items: of.entry },
    },
    required: [of.name],
    description: 'Unknown fields are ignored, and named in ignored of the answer.',
  }
  const fits = compileSchema<Readonly<Record<string, readonly Given[]>>>(schema)

  function* readEntries(body: unknown): Steps<ReadBatch<Input>> {
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
    return { inputs, ignored: listUnknownFields(body as object, of) }
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

/** The unknown fields of the body and its entries, each name once; those of an entry as they stand in it. */
function listUnknownFields(
  body: object,
  { name, entry }: { readonly name: string; readonly entry: Schema },
): readonly string[] {
  const found = new Set<string>()
  const checked: readonly (readonly [unknown, Schema])[] = [
    [body, { properties: { [name]: {} } }],
    ...listEntries(body, name).map((given) => [given, entry] as const),
  ]
  for (const [given, schema] of checked) {
    for (const field of findUnknownFields(given as object, schema)) {
      found.add(truncate(field, ignoredCharsMax))
      if (found.size === ignoredMax) return [...found]
    }
  }
  return [...found]
}

function* findUnknownFields(given: object, { properties }: Schema): Generator<string> {
  const known = { ...(properties as Readonly<Record<string, Schema>>) }
  for (const [name, value] of Object.entries(given)) {
    const field = Object.hasOwn(known, name) ? known[name] : undefined
    if (!field) yield name
    else if (field['properties']) {
      for (const inner of findUnknownFields(value, field)) yield `${name}.${inner}`
    }
  }
}
