/** Declares, parses and checks evaluation and prediction bodies; notes unknown fields (spec 2). */

import type { PredictionRequest } from '../../commands/evaluation/predict.ts'
import { describeEmailRefusal, normalizeEmail } from '../../domain/evaluation/email.ts'
import { describePhoneRefusal, normalizePhone, unifyPhone } from '../../domain/evaluation/phone.ts'
import { type Failure, type FailureDetail, invalidRequest } from '../../domain/failure.ts'
import {
  inputLimits,
  openObject,
  optional,
  optionalFields,
  type Schema,
  type TypeOf,
} from '../../domain/jsonSchema.ts'
import type { Mutable } from '../../domain/mutable.ts'
import {
  dispatchIdSchema,
  type ExtInput,
  extMap,
  signalsSchema,
} from '../../domain/signals/signalSchemas.ts'
import type { EvaluatedTarget } from '../../domain/signals/signals.ts'
import { nearestName } from '../../domain/text/nearestName.ts'
import type { NotCounted } from '../../engine/run/evidence.ts'
import type { EvaluationRequest } from '../../state/evaluation/gatherEvidence.ts'
import { compileSchema, type SchemaCheck, toFailureDetails } from '../request/schema/validator.ts'
import { mergeExt, pickSignals, readEvaluationIp } from '../signals/normalizeSignals.ts'

const targetText = { type: 'string', maxLength: inputLimits.stringSchema } as const

export const targetSchema = {
  ...openObject(
    'EvaluationTarget',
    optionalFields({
      phone_number: { ...targetText, description: 'International form; compared as E.164.' },
      email_address: targetText,
      type: { type: 'string', enum: ['phone_number', 'email_address'] },
      value: targetText,
    }),
    {
      description:
        'The end user: phone_number, email_address or both; or one of them as type and value, for client libraries.',
    },
  ),
  anyOf: [
    { required: ['phone_number'] },
    { required: ['email_address'] },
    { required: ['type', 'value'] },
  ],
} as const

const correlationMax = 64

export const metadataField = optional(
  openObject('CallerMetadata', {
    correlation_id: optional({
      type: 'string',
      maxLength: correlationMax,
      description: "The caller's id of the verification; an empty one counts as omitted.",
    }),
  }),
)

const facts = {
  description: 'Unknown fields are ignored, and listed in not_counted of the record.',
} as const

export const evaluateRequestSchema = openObject(
  'EvaluateRequest',
  {
    flow_id: { type: 'string', minLength: 1, maxLength: inputLimits.id },
    target: targetSchema,
    signals: optional(signalsSchema),
    dispatch_id: optional(dispatchIdSchema),
    attributes: optional({
      ...extMap,
      description: 'Older name of signals.ext, which wins where both have a key.',
    }),
    metadata: metadataField,
  },
  facts,
)
type EvaluateBody = TypeOf<typeof evaluateRequestSchema>

export const predictRequestSchema = openObject(
  'PredictRequest',
  {
    target: targetSchema,
    signals: optional(signalsSchema),
    dispatch_id: optional(dispatchIdSchema),
    metadata: metadataField,
  },
  facts,
)

const fitsEvaluation = compileSchema(evaluateRequestSchema)
const fitsPrediction = compileSchema(predictRequestSchema)

/**
 * The evaluation that the body asks for: target and address canonical, empty signals left out, `attributes` joined to
 * `signals.ext`. Throws `invalid_request` with an entry for every invalid field (spec 7.1).
 */
export function parseEvaluationBody(body: unknown): EvaluationRequest {
  if (!fitsEvaluation(body)) throw buildRefusal(body, fitsEvaluation)
  const { flow_id, dispatch_id, attributes } = body
  const { target, signals, notCounted } = readEvidence(body, knownOfEvaluation, attributes)
  const request: Mutable<EvaluationRequest> = {
    flow_id,
    target,
    signals,
    ...readCorrelationId(body),
  }
  if (dispatch_id !== undefined) request.dispatch_id = dispatch_id
  if (notCounted.length > 0) request.notCounted = notCounted
  return request
}

/** Same, for a prediction. */
export function parsePredictionBody(body: unknown): PredictionRequest {
  if (!fitsPrediction(body)) throw buildRefusal(body, fitsPrediction)
  const { dispatch_id } = body
  const { target, signals, notCounted } = readEvidence(body, knownOfPrediction)
  return {
    target,
    signals,
    ...(dispatch_id !== undefined && { dispatch_id }),
    ...readCorrelationId(body),
    ...(notCounted.length > 0 && { notCounted }),
  }
}

/** Reads what bodies of both, and imported ones, have; `known` are the fields of the body itself. */
export function readEvidence(
  body: Pick<EvaluateBody, 'target' | 'signals'>,
  known: ReadonlySet<string>,
  attributes?: ExtInput,
) {
  const problems: FailureDetail[] = []
  const target = readTarget(body.target, problems)
  const { ip, notCounted } = readEvaluationIp(body.signals?.ip, problems)
  if (problems.length > 0) throw invalidRequest(problems)
  const signals = pickSignals(body.signals ?? {}, ip)
  const ext = mergeExt(body.signals?.ext, attributes)
  if (ext !== undefined) signals.ext = ext
  return { target, signals, notCounted: [...notCounted, ...listUnknownFields(body, known)] }
}

interface BodyWithMetadata {
  readonly metadata?: TypeOf<(typeof metadataField)['mayBeAbsent']>
}

/** The correlation id; absent when it was not sent or empty. */
export function readCorrelationId({ metadata }: BodyWithMetadata): {
  readonly correlation_id?: string
} {
  const correlation_id = metadata?.correlation_id ?? ''
  return correlation_id === '' ? {} : { correlation_id }
}

/** Names what the schema found, and what is wrong in the parts that it could not speak about. */
export function buildRefusal(
  body: unknown,
  { errors }: Pick<SchemaCheck<unknown>, 'errors'>,
): Failure {
  const problems: FailureDetail[] = []
  const { target, signals } = toFields(body)
  readTarget(toFields(target), problems)
  const { ip } = toFields(signals)
  readEvaluationIp(ip, problems)
  const named = new Set(problems.map(({ path }) => path))
  const found = toFailureDetails(errors).filter(({ path }) => !named.has(path))
  return invalidRequest([...found, ...problems])
}

function toFields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

/** A target whose schema may have failed. */
type GivenTarget = Readonly<
  Partial<Record<'phone_number' | 'email_address' | 'type' | 'value', unknown>>
>

/** Reads the canonical target; `type` and `value` fill in absent explicit fields. Errors are added to the problems. */
export function readTarget(given: GivenTarget, problems: FailureDetail[]): EvaluatedTarget {
  const phone = readTargetField(given, 'phone_number', problems)
  const email = readTargetField(given, 'email_address', problems)
  const target: Mutable<EvaluatedTarget> = {}
  if (phone !== undefined) target.phone_number = unifyPhone(phone)
  if (email !== undefined) target.email_address = email
  return target
}

/** The canonical form of each kind of target, and what is said of a value without one. */
export const targetFormats = {
  phone_number: { canonical: normalizePhone, describeRefusal: describePhoneRefusal },
  email_address: { canonical: normalizeEmail, describeRefusal: describeEmailRefusal },
} as const

function readTargetField(
  target: GivenTarget,
  field: keyof typeof targetFormats,
  problems: FailureDetail[],
): string | undefined {
  const { [field]: own, type, value } = target
  const given = own ?? (type === field ? value : undefined)
  if (typeof given !== 'string') return undefined
  const { canonical, describeRefusal } = targetFormats[field]
  const read = canonical(given)
  if (read === undefined) {
    const path = own === undefined ? 'target.value' : `target.${field}`
    problems.push({ path, message: describeRefusal(given) })
  }
  return read
}

/** So many are noted of one request, and so many characters of the name and the value of each. */
const notedMax = 16
const nameMax = 64
const valueMax = 256

export function listFieldNames(schema: Schema): ReadonlySet<string> {
  return new Set(Object.keys(schema['properties'] as object))
}

const knownIn = { target: listFieldNames(targetSchema), signals: listFieldNames(signalsSchema) }
const knownOfEvaluation = listFieldNames(evaluateRequestSchema)
const knownOfPrediction = listFieldNames(predictRequestSchema)

/** What was sent that the service does not know, without empty texts; `known` are the fields of the body itself. */
function listUnknownFields(
  body: Pick<EvaluateBody, 'target' | 'signals'>,
  known: ReadonlySet<string>,
): readonly NotCounted[] {
  const noted: NotCounted[] = []
  const note = (under: string, given: object, names: ReadonlySet<string>): void => {
    for (const [field, sent] of Object.entries(given)) {
      if (names.has(field) || sent === '' || noted.length >= notedMax) continue
      const name = `${under}${field}`.slice(0, nameMax)
      noted.push({ name, value: truncateValue(sent), source: 'request', reason: 'unknown_field' })
    }
  }
  note('', body, known)
  note('target.', body.target, knownIn.target)
  note('signals.', body.signals ?? {}, knownIn.signals)
  return noted
}

function truncateValue(sent: unknown): NotCounted['value'] {
  if (typeof sent === 'boolean') return sent
  return (typeof sent === 'string' ? sent : JSON.stringify(sent)).slice(0, valueMax)
}

const allFields = [
  ...new Set([...knownOfEvaluation, ...knownOfPrediction]),
  ...[...knownIn.target].map((field) => `target.${field}`),
  ...[...knownIn.signals].map((field) => `signals.${field}`),
]

/**
 * Suggests a known field for an unknown one: the most similar in the same object, else in any other; nothing for a
 * field of the other kind of request, which is spelled as it should be.
 */
export function suggestKnownField(name: string): string | undefined {
  if (allFields.includes(name)) return undefined
  const { prefix, field } = splitFieldName(name)
  const beside = allFields.filter((known) => splitFieldName(known).prefix === prefix)
  const near = nearestName(name, beside)
  if (near !== undefined) return near
  const anywhere = nearestName(
    field,
    allFields.map((known) => splitFieldName(known).field),
  )
  return allFields.find((known) => splitFieldName(known).field === anywhere)
}

/** The name of a field, and before it that of its object with a dot, or nothing. */
function splitFieldName(name: string) {
  const start = name.indexOf('.') + 1
  return { prefix: name.slice(0, start), field: name.slice(start) }
}
