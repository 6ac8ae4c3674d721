/** Reads the sample target, signals, time and lists of a rule or flow test, and `explain`. */

import { type FailureDetail, invalidRequest } from '../../domain/failure.ts'
import { closedObject, type ObjectOf, optionalFields } from '../../domain/jsonSchema.ts'
import { deviceSignalsSchema, signalsSchema } from '../../domain/signals/signalSchemas.ts'
import { parseIsoTimeMs } from '../../engine/language/values/time.ts'
import type { SampleEvidence } from '../../queries/evaluation/dryRun.ts'
import { buildQueryReader, choiceParameter, withFallback } from '../request/queryReader.ts'
import { mergeExt, pickSignals, readEvaluationIp, readIp } from '../signals/normalizeSignals.ts'
import { readTarget, targetSchema } from './evaluationBody.ts'

/** `explain`: how far the explanation goes. */
export const explainQuery = buildQueryReader({
  detail: withFallback(
    choiceParameter(
      'explain',
      ['rules', 'expressions'],
      "The values that each rule read (`rules`), or also every sub-expression's value.",
    ),
    'rules',
  ),
})

const isListed = { type: 'boolean', default: false } as const

export const sampleEvidenceSchema = optionalFields({
  target: targetSchema,
  signals: signalsSchema,
  dispatch_signals: deviceSignalsSchema('SampleDispatchSignals', {
    description:
      'Signals of the dispatch. Present, even when empty, when the request names a dispatch.',
  }),
  lists: closedObject('SampleLists', optionalFields({ allow: isListed, block: isListed }), {
    description: 'Lists of the account that contain the target; none by default.',
  }),
  time: {
    type: 'string',
    maxLength: 40,
    description: 'The clock of the rules, in ISO 8601 with a zone; now by default.',
  },
})
type GivenEvidence = ObjectOf<typeof sampleEvidenceSchema>

/** Reads evidence in canonical form. Throws `invalid_request` for every invalid field, `under` before its path. */
export function readSampleEvidence(given: GivenEvidence, under = ''): SampleEvidence {
  const problems: FailureDetail[] = []
  const { signals = {}, dispatch_signals: dispatched } = given
  const target = readTarget(given.target ?? {}, problems)
  const { ip, notCounted } = readEvaluationIp(signals.ip, problems)
  const timeMs = readTime(given.time, problems)
  // a front end's address is the one of its connection, which is seen and public or not known
  const seenIp = readIp(dispatched?.ip, problems, 'dispatch_signals.ip')
  if (problems.length > 0) {
    throw invalidRequest(problems.map((detail) => ({ ...detail, path: under + detail.path })))
  }
  const ext = mergeExt(signals.ext)
  const { allow = false, block = false } = given.lists ?? {}
  return {
    target,
    signals: { ...pickSignals(signals, ip), ...(ext && { ext }) },
    ...(dispatched && { dispatchSignals: pickSignals(dispatched, seenIp) }),
    notCounted,
    lists: { allow, block },
    ...(timeMs !== undefined && { timeMs }),
  }
}

function readTime(given: string | undefined, problems: FailureDetail[]): number | undefined {
  if (given === undefined) return undefined
  const timeMs = parseIsoTimeMs(given)
  if (timeMs === undefined) {
    problems.push({ path: 'time', message: 'Must be a time in ISO 8601 with a zone.' })
  }
  return timeMs
}
