/** Reads the parameters of questions over many evaluations. */

import type { FailureDetail } from '../../domain/failure.ts'
import { idPrefixes, isId } from '../../domain/ids.ts'
import { isoTimeMs } from '../../engine/language/values/isoTime.ts'
import type { ComparisonAsked, EvaluationsAsked } from '../../service/analysis/analysisPart.ts'
import {
  cursorParameter,
  limitParameter,
  minPositionParameter,
  type QueryReader,
  readAsking,
  readCursor,
  readNumber,
} from '../request/queryReader.ts'
import type { QueryTexts } from '../request/queryTexts.ts'
import { limits } from '../request/schema.ts'

const positionMax = Number.MAX_SAFE_INTEGER

/** `flow_id`, `verdict`, `after` or `before`, `limit`, `min_position`. */
export const evaluationsQuery: QueryReader<EvaluationsAsked> = {
  parameters: [
    { name: 'flow_id', description: 'Only of this flow.', schema: { type: 'string' } },
    {
      name: 'verdict',
      description: 'Only with this verdict.',
      schema: { type: 'string', enum: ['PASS', 'FLAG'] },
    },
    {
      name: 'after',
      description:
        'Only behind this position of the log: `next_after` of the answer before. Without it the last ones are answered.',
      schema: { type: 'integer', minimum: 0, maximum: positionMax },
    },
    {
      name: 'before',
      description:
        'The last ones before this position of the log: `next_before` of the answer before. Not together with `after`.',
      schema: { type: 'integer', minimum: 1, maximum: positionMax },
    },
    limitParameter,
    minPositionParameter,
  ],
  read: (given, details) => {
    const flowId = readFlow(given, details)
    const verdict = readVerdict(given, details)
    const after = readNumber(given, { name: 'after', min: 0, max: positionMax }, details)
    const before = readNumber(given, { name: 'before', min: 1, max: positionMax }, details)
    if (after !== undefined && before !== undefined) {
      details.push({ path: 'before', message: 'Must not stand together with after.' })
    }
    const limit = readNumber(given, { name: 'limit', min: 1, max: limits.page }, details)
    const asking = readAsking(given, details)
    return {
      ...asking,
      ...(flowId !== undefined && { flowId }),
      ...(verdict !== undefined && { verdict }),
      ...(after !== undefined && { after }),
      ...(before !== undefined && { before }),
      limit: limit ?? limits.pageDefault,
    }
  },
}

const timeSchema = { type: 'string', maxLength: 40 }

/** `with`, `from`, `to`, `cursor`, `min_position`. */
export const comparisonQuery: QueryReader<ComparisonAsked> = {
  parameters: [
    {
      name: 'with',
      description: 'The id of the recipe to compare with.',
      required: true,
      schema: { type: 'string' },
    },
    {
      name: 'from',
      description: 'ISO 8601 with a zone, included; a week before `to` by default.',
      schema: timeSchema,
    },
    {
      name: 'to',
      description: 'ISO 8601 with a zone, excluded; now by default.',
      schema: timeSchema,
    },
    cursorParameter,
    minPositionParameter,
  ],
  read: (given, details) => {
    const withId = readOtherRecipe(given, details)
    const fromMs = readTime(given, 'from', details)
    const toMs = readTime(given, 'to', details)
    const cursor = readCursor(given, details)
    const asking = readAsking(given, details)
    return {
      ...asking,
      withId,
      ...(fromMs !== undefined && { fromMs }),
      ...(toMs !== undefined && { toMs }),
      ...(cursor !== undefined && { cursor }),
    }
  },
}

function readFlow({ flow_id }: QueryTexts, details: FailureDetail[]): string | undefined {
  if (flow_id === undefined || isId(idPrefixes.flow, flow_id)) return flow_id
  details.push({ path: 'flow_id', message: 'Must be the id of a flow.' })
  return undefined
}

function readOtherRecipe({ with: other = '' }: QueryTexts, details: FailureDetail[]): string {
  if (!isId(idPrefixes.recipe, other)) {
    details.push({ path: 'with', message: 'Must be the id of another recipe.' })
  }
  return other
}

function readVerdict({ verdict }: QueryTexts, details: FailureDetail[]) {
  if (verdict === undefined || verdict === 'PASS' || verdict === 'FLAG') return verdict
  details.push({ path: 'verdict', message: 'Must be one of: PASS, FLAG.' })
  return undefined
}

function readTime(
  given: QueryTexts,
  name: 'from' | 'to',
  details: FailureDetail[],
): number | undefined {
  const text = given[name]
  if (text === undefined) return undefined
  const timeMs = isoTimeMs(text)
  if (timeMs === undefined) {
    details.push({ path: name, message: 'Must be a time in ISO 8601 with a zone.' })
  }
  return timeMs
}
