/** Reads the query parameters of evaluation lists, searches and recipe comparisons. */

import type { FailureDetail } from '../../domain/failure.ts'
import { idPrefixes, isId } from '../../domain/ids.ts'
import { limits } from '../../domain/schema.ts'
import type { ComparisonAsked } from '../../queries/analysis/comparison.ts'
import type { EvaluationsAsked, SearchAsked } from '../../queries/analysis/namedEvaluations.ts'
import {
  cursorParameter,
  minPositionParameter,
  type QueryReader,
  type QueryTexts,
  readAsking,
  readCursor,
  readNumber,
} from '../request/queryReader.ts'
import type { QueryParameter } from '../request/route.ts'
import { readSought, readTimes, soughtParameter, timeQuery } from '../request/soughtQuery.ts'

const positionMax = Number.MAX_SAFE_INTEGER

/** What is asked for: the log is followed by positions, or searched in the order of time. */
export type EvaluationsQuery =
  | ({ readonly way: 'follow' } & EvaluationsAsked)
  | ({ readonly way: 'search' } & SearchAsked)

const positionParameters: readonly QueryParameter[] = [
  {
    name: 'after',
    description:
      'Follow the log: only behind this position, `next_after` of the answer before. Without it, and without a search, the last ones are answered.',
    schema: { type: 'integer', minimum: 0, maximum: positionMax },
  },
  {
    name: 'before',
    description:
      'The last ones before this position of the log: `next_before` of the answer before. Not together with `after`.',
    schema: { type: 'integer', minimum: 1, maximum: positionMax },
  },
]

const filterParameters: readonly QueryParameter[] = [
  { name: 'flow_id', description: 'Only of this flow.', schema: { type: 'string' } },
  {
    name: 'verdict',
    description: 'Only with this verdict.',
    schema: { type: 'string', enum: ['PASS', 'FLAG'] },
  },
]

const soughtNames = ['phone_number', 'email_address', 'ip', 'device_id', 'correlation_id'] as const
const searchNames = [...soughtNames, 'order', 'from', 'to', 'cursor']

/** `flow_id` and `verdict`, with `after` or `before` to follow the log, or with what makes it a search. */
export const evaluationsQuery: QueryReader<EvaluationsQuery> = {
  parameters: [
    ...filterParameters,
    ...positionParameters,
    ...soughtNames.map(soughtParameter),
    ...timeQuery.parameters,
  ],
  read: (given, details) => {
    const filter = readFilter(given, details)
    return searchNames.some((name) => given[name] !== undefined)
      ? { way: 'search', ...filter, ...readSearch(given, details) }
      : { way: 'follow', ...filter, ...readPlace(given, details) }
  },
}

function readFilter(
  given: QueryTexts,
  details: FailureDetail[],
): Pick<EvaluationsAsked, 'flowId' | 'verdict'> {
  const flowId = readFlow(given, details)
  const verdict = readVerdict(given, details)
  return {
    ...(flowId !== undefined && { flowId }),
    ...(verdict !== undefined && { verdict }),
  }
}

function readPlace(given: QueryTexts, details: FailureDetail[]): EvaluationsAsked {
  const after = readNumber(given, { name: 'after', min: 0, max: positionMax }, details)
  const before = readNumber(given, { name: 'before', min: 1, max: positionMax }, details)
  if (after !== undefined && before !== undefined) {
    details.push({ path: 'before', message: 'Must not stand together with after.' })
  }
  const limit = readNumber(given, { name: 'limit', min: 1, max: limits.page }, details)
  return {
    ...readAsking(given, details),
    ...(after !== undefined && { after }),
    ...(before !== undefined && { before }),
    limit: limit ?? limits.pageDefault,
  }
}

function readSearch(given: QueryTexts, details: FailureDetail[]): SearchAsked {
  for (const name of ['after', 'before'] as const) {
    if (given[name] === undefined) continue
    const message = `Follows the log, and must not stand together with ${searchNames.join(', ')}.`
    details.push({ path: name, message })
  }
  const [phoneNumber, emailAddress, ip, deviceId, correlationId] = soughtNames.map((name) =>
    readSought(given, name, details),
  )
  return {
    ...timeQuery.read(given, details),
    ...(phoneNumber !== undefined && { phoneNumber }),
    ...(emailAddress !== undefined && { emailAddress }),
    ...(ip !== undefined && { ip }),
    ...(deviceId !== undefined && { deviceId }),
    ...(correlationId !== undefined && { correlationId }),
  }
}

const timeSchema = { type: 'string', maxLength: 40 }

/** `with`, `from`, `to`, `cursor`, `min_position`. */
export const comparisonQuery: QueryReader<Omit<ComparisonAsked, 'recipeId'>> = {
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
    const cursor = readCursor(given, details)
    const asking = readAsking(given, details)
    return {
      ...asking,
      withId,
      ...readTimes(given, details),
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
