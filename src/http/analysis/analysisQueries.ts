/** Reads the parameters of questions over many evaluations. */

import { type FailureDetail, invalidRequest } from '../../domain/failure.ts'
import { idPrefixes, isId } from '../../domain/ids.ts'
import { isoTimeMs } from '../../engine/language/values/isoTime.ts'
import type { ComparisonAsked, EvaluationsAsked } from '../../service/analysis/analysisPart.ts'
import type { Context } from '../request/context.ts'
import {
  cursorParameter,
  limitParameter,
  minPositionParameter,
  type QueryReader,
  readAsking,
  readCursor,
  readNumber,
  refuse,
} from '../request/queryReader.ts'
import { limits } from '../request/schema.ts'

const positionMax = Number.MAX_SAFE_INTEGER

/** `flow_id`, `verdict`, `after`, `limit`, `min_position`. Throws `invalid_request` naming each that is not acceptable. */
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
    limitParameter,
    minPositionParameter,
  ],
  read: (ctx) => {
    const details: FailureDetail[] = []
    const flowId = readFlow(ctx, details)
    const verdict = readVerdict(ctx, details)
    const after = readNumber(ctx, { name: 'after', min: 0, max: positionMax }, details)
    const limit = readNumber(ctx, { name: 'limit', min: 1, max: limits.page }, details)
    const asking = readAsking(ctx, details)
    refuse(details)
    return {
      ...asking,
      ...(flowId !== undefined && { flowId }),
      ...(verdict !== undefined && { verdict }),
      ...(after !== undefined && { after }),
      limit: limit ?? limits.pageDefault,
    }
  },
}

const timeSchema = { type: 'string', maxLength: 40 }

/** `with`, `from`, `to`, `cursor`, `min_position`. Throws `invalid_request` naming each that is not acceptable. */
export const comparisonQuery: QueryReader<ComparisonAsked> = {
  parameters: [
    {
      name: 'with',
      description: 'The id of the recipe to compare with; required.',
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
  read: (ctx) => {
    const details: FailureDetail[] = []
    const withId = readOtherRecipe(ctx, details)
    const fromMs = readTime(ctx, 'from', details)
    const toMs = readTime(ctx, 'to', details)
    const cursor = readCursor(ctx, details)
    const asking = readAsking(ctx, details)
    if (withId === undefined || details.length > 0) throw invalidRequest(details)
    return {
      ...asking,
      withId,
      ...(fromMs !== undefined && { fromMs }),
      ...(toMs !== undefined && { toMs }),
      ...(cursor !== undefined && { cursor }),
    }
  },
}

function readFlow(ctx: Context, details: FailureDetail[]): string | undefined {
  const { flow_id: given } = ctx.query
  if (given === undefined) return undefined
  if (typeof given === 'string' && isId(idPrefixes.flow, given)) return given
  details.push({ path: 'flow_id', message: 'Must be the id of a flow.' })
  return undefined
}

function readOtherRecipe(ctx: Context, details: FailureDetail[]): string | undefined {
  const { with: given } = ctx.query
  if (typeof given === 'string' && isId(idPrefixes.recipe, given)) return given
  details.push({ path: 'with', message: 'Must be the id of another recipe.' })
  return undefined
}

function readVerdict(ctx: Context, details: FailureDetail[]): 'PASS' | 'FLAG' | undefined {
  const { verdict: given } = ctx.query
  if (given === undefined || given === 'PASS' || given === 'FLAG') return given
  details.push({ path: 'verdict', message: 'Must be PASS or FLAG.' })
  return undefined
}

function readTime(ctx: Context, name: 'from' | 'to', details: FailureDetail[]): number | undefined {
  const given = ctx.query[name]
  if (given === undefined) return undefined
  const timeMs = typeof given === 'string' ? isoTimeMs(given) : undefined
  if (timeMs === undefined) {
    details.push({ path: name, message: 'Must be a time in ISO 8601 with a zone.' })
  }
  return timeMs
}
