/** Parses evaluation and prediction bodies, notes unknown fields, suggests known ones (spec 2). */

import type { EvaluationRequest } from '../../commands/evaluation/gatherEvidence.ts'
import type { PredictionRequest } from '../../commands/evaluation/predict.ts'
import { normalizeEmail } from '../../domain/evaluation/email.ts'
import { normalizePhone } from '../../domain/evaluation/phone.ts'
import { type FailureDetail, invalidRequest } from '../../domain/failure.ts'
import type { Schema } from '../../domain/jsonSchema.ts'
import type { Mutable } from '../../domain/mutable.ts'
import { signalsSchema } from '../../domain/signals/signalSchemas.ts'
import type { EvaluatedTarget, Signals } from '../../domain/signals/signals.ts'
import { nearestName } from '../../domain/text/nearestName.ts'
import type { NotCounted } from '../../engine/run/evidence.ts'
import { compileSchema, type SchemaCheck, toFailureDetails } from '../request/schema/validator.ts'
import { readCorrelationId } from '../signals/callerMetadata.ts'
import { mergeExt, pickSignals, readEvaluationIp } from '../signals/normalizeSignals.ts'
import {
  type EvaluateBody,
  evaluateRequestSchema,
  predictRequestSchema,
  targetSchema,
} from './evaluateRequestSchema.ts'

const fitsEvaluation = compileSchema(evaluateRequestSchema)
const fitsPrediction = compileSchema(predictRequestSchema)

/**
 * The evaluation that the body asks for: target and address canonical, empty signals left out, `attributes` joined to
 * `signals.ext`. Throws `invalid_request` with an entry for every invalid field (spec 7.1).
 */
export function readEvalRequest(body: unknown): EvaluationRequest {
  const read = readEvidence(body, fitsEvaluation)
  const { flow_id, attributes, signals } = read.given
  const { target, dispatch_id, signals: kept } = withExt(read, mergeExt(signals?.ext, attributes))
  const notCounted = [...read.notCounted, ...unknownFields(read.given, knownOfEvaluation)]
  // literals for what is usual, since this is done for every evaluation and spreading takes longer
  const input =
    dispatch_id === undefined
      ? { flow_id, target, signals: kept }
      : { flow_id, target, signals: kept, dispatch_id }
  return notCounted.length === 0 ? input : { ...input, notCounted }
}

/** Same, for a prediction. */
export function readPredictRequest(body: unknown): PredictionRequest {
  const read = readEvidence(body, fitsPrediction)
  const { target, dispatch_id, signals } = withExt(read, mergeExt(read.given.signals?.ext))
  const notCounted = [...read.notCounted, ...unknownFields(read.given, knownOfPrediction)]
  return {
    target,
    signals,
    ...(dispatch_id !== undefined && { dispatch_id }),
    ...readCorrelationId(read.given),
    ...(notCounted.length > 0 && { notCounted }),
  }
}

/** What was read of a body, the signals an object of its own. */
interface ReadEvidence<Body> {
  readonly target: EvaluationRequest['target']
  readonly signals: ReturnType<typeof pickSignals>
  readonly dispatch_id: string | undefined
  readonly notCounted: readonly NotCounted[]
  readonly given: Body
}

function readEvidence<Body extends Pick<EvaluateBody, 'target' | 'signals' | 'dispatch_id'>>(
  body: unknown,
  fits: SchemaCheck<Body>,
): ReadEvidence<Body> {
  if (!fits(body)) throw invalidRequest(allProblems(body, toFailureDetails(fits.errors)))
  const problems: FailureDetail[] = []
  const target = readTarget(body.target, problems)
  const { ip, notCounted } = readEvaluationIp(body.signals?.ip, problems)
  if (problems.length > 0) throw invalidRequest(problems)
  const signals = pickSignals(body.signals ?? {}, ip)
  return { target, signals, dispatch_id: body.dispatch_id, notCounted, given: body }
}

function withExt<Read extends Pick<ReadEvidence<unknown>, 'signals'>>(
  read: Read,
  ext: Signals['ext'],
): Read {
  if (ext !== undefined) read.signals.ext = ext
  return read
}

/** What the schema found, and what is wrong in the parts that it could not speak about. */
function allProblems(body: unknown, found: readonly FailureDetail[]): readonly FailureDetail[] {
  const problems: FailureDetail[] = []
  const { target, signals } = fieldsOf(body)
  readTarget(fieldsOf(target), problems)
  const { ip } = fieldsOf(signals)
  readEvaluationIp(ip, problems)
  const named = new Set(problems.map(({ path }) => path))
  return [...found.filter(({ path }) => !named.has(path)), ...problems]
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

/** A target whose schema may have failed. */
type GivenTarget = Readonly<
  Partial<Record<'phone_number' | 'email_address' | 'type' | 'value', unknown>>
>

/** Reads the canonical target; `type` and `value` fill in absent explicit fields. Errors are added to the problems. */
export function readTarget(given: GivenTarget, problems: FailureDetail[]): EvaluatedTarget {
  const phone = readHalf(given, 'phone_number', problems)
  const email = readHalf(given, 'email_address', problems)
  const target: Mutable<EvaluatedTarget> = {}
  if (phone !== undefined) target.phone_number = phone
  if (email !== undefined) target.email_address = email
  return target
}

/** The canonical form of each kind of target, and what is said of a value without one. */
export const targetForms = {
  phone_number: {
    canonical: normalizePhone,
    message: 'Must be a phone number in E.164 form, such as +15551234567.',
  },
  email_address: { canonical: normalizeEmail, message: 'Must be an email address.' },
} as const

function readHalf(
  target: GivenTarget,
  field: keyof typeof targetForms,
  problems: FailureDetail[],
): string | undefined {
  const { [field]: own, type, value } = target
  const given = own ?? (type === field ? value : undefined)
  if (typeof given !== 'string') return undefined
  const { canonical, message } = targetForms[field]
  const read = canonical(given)
  if (read === undefined) {
    problems.push({ path: own === undefined ? 'target.value' : `target.${field}`, message })
  }
  return read
}

/** So many are noted of one request, and so many characters of the name and the value of each. */
const notedMax = 16
const nameMax = 64
const valueMax = 256

function namesOf(schema: Schema): ReadonlySet<string> {
  return new Set(Object.keys(schema['properties'] as object))
}

const knownIn = { target: namesOf(targetSchema), signals: namesOf(signalsSchema) }
const knownOfEvaluation = namesOf(evaluateRequestSchema)
const knownOfPrediction = namesOf(predictRequestSchema)

interface Sent {
  readonly target: object
  readonly signals?: object
}

/** What was sent that the service does not know, without empty texts; `known` are the fields of the body itself. */
function unknownFields(body: Sent, known: ReadonlySet<string>): readonly NotCounted[] {
  const noted: NotCounted[] = []
  noteUnknown(noted, body, { under: '', known })
  noteUnknown(noted, body.target, { under: 'target.', known: knownIn.target })
  if (body.signals) noteUnknown(noted, body.signals, { under: 'signals.', known: knownIn.signals })
  return noted
}

interface KnownFields {
  readonly under: string
  readonly known: ReadonlySet<string>
}

function noteUnknown(noted: NotCounted[], given: object, { under, known }: KnownFields): void {
  for (const field of Object.keys(given)) {
    if (known.has(field)) continue
    const sent: unknown = given[field as keyof typeof given]
    if (sent === '' || noted.length >= notedMax) continue
    noted.push({
      name: `${under}${field}`.slice(0, nameMax),
      value: notedValue(sent),
      source: 'request',
      reason: 'unknown_field',
    })
  }
}

function notedValue(sent: unknown): NotCounted['value'] {
  if (typeof sent === 'boolean') return sent
  return (typeof sent === 'string' ? sent : JSON.stringify(sent)).slice(0, valueMax)
}

const allFields = [
  ...new Set([...knownOfEvaluation, ...knownOfPrediction]),
  ...[...knownIn.target].map((field) => `target.${field}`),
  ...[...knownIn.signals].map((field) => `signals.${field}`),
]

/** Suggests a known field for an unknown one: the most similar in the same object, else in any other. */
export function suggestField(name: string): string | undefined {
  const prefix = prefixOf(name)
  const beside = allFields.filter((known) => prefixOf(known) === prefix)
  return nearestName(name, beside) ?? meantAnywhere(name.slice(prefix.length))
}

function meantAnywhere(field: string): string | undefined {
  const meant = nearestName(
    field,
    allFields.map((known) => known.slice(prefixOf(known).length)),
  )
  return allFields.find((known) => known.slice(prefixOf(known).length) === meant)
}

/** What stands before the name of a field: `signals.`, or nothing. */
function prefixOf(name: string): string {
  return name.slice(0, name.indexOf('.') + 1)
}
