/** Reads the request of an evaluation (spec 2.1 to 2.3): everything that is wrong with it is said at once. */

import { type FailureDetail, invalidRequest } from '../../domain/failure.ts'
import type { EvaluationInput } from '../../service/evaluation/evaluationPart.ts'
import { compileSchema, detailsOf } from '../request/validator.ts'
import { keepSignals, mergeExt, readIp } from '../signals/readSignals.ts'
import { type EvaluateBody, evaluateRequestSchema } from './evaluateRequestSchema.ts'
import { readTarget } from './readTarget.ts'

const fits = compileSchema<EvaluateBody>(evaluateRequestSchema)

/**
 * The evaluation that the body asks for: target and address canonical, empty signals left out, `attributes` joined to
 * `signals.ext`. Throws `invalid_request` with an entry for every invalid field (spec 7.1).
 */
export function readEvalRequest(body: unknown): EvaluationInput {
  if (!fits(body)) throw invalidRequest(allProblems(body, detailsOf(fits.errors)))
  const problems: FailureDetail[] = []
  const target = readTarget(body.target, problems)
  const ip = readIp(body.signals?.ip, problems)
  if (problems.length > 0) throw invalidRequest(problems)
  return inputOf(body, target, ip)
}

function inputOf(
  body: EvaluateBody,
  target: EvaluationInput['target'],
  ip: string | undefined,
): EvaluationInput {
  const { flow_id, dispatch_id } = body
  const signals = keepSignals(body.signals ?? {}, ip)
  const ext = mergeExt(body.signals?.ext, body.attributes)
  if (ext !== undefined) signals.ext = ext
  return dispatch_id === undefined
    ? { flow_id, target, signals }
    : { flow_id, target, signals, dispatch_id }
}

/** What the schema found, and what is wrong in the parts that it could not speak about. */
function allProblems(body: unknown, found: readonly FailureDetail[]): readonly FailureDetail[] {
  const problems: FailureDetail[] = []
  const { target, signals } = fieldsOf(body)
  readTarget(fieldsOf(target), problems)
  const { ip } = fieldsOf(signals)
  readIp(ip, problems)
  const named = new Set(problems.map(({ path }) => path))
  return [...found.filter(({ path }) => !named.has(path)), ...problems]
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
