/** The parameters of a search in the order of time: `order`, `from`, `to`, with those of a page. */

import type { PageRequest } from '../../domain/call.ts'
import type { FailureDetail } from '../../domain/failure.ts'
import { isoTimeMs } from '../../engine/language/values/isoTime.ts'
import { pageQuery, type QueryReader } from './queryReader.ts'
import type { QueryTexts } from './queryTexts.ts'

interface Times {
  /** Milliseconds since the Unix epoch, included. */
  readonly fromMs?: number
  /** The same, excluded. */
  readonly toMs?: number
}

/** A page of what was found in the order of time. */
export interface TimePage extends PageRequest, Times {
  readonly order: 'newest' | 'oldest'
}

const orders = ['newest', 'oldest'] as const
const timeSchema = { type: 'string', maxLength: 40 }

/** `order`, `from`, `to`, `limit`, `cursor`, `min_position`. */
export const timeQuery: QueryReader<TimePage> = {
  parameters: [
    {
      name: 'order',
      description: 'Which come first.',
      schema: { type: 'string', enum: orders, default: 'newest' },
    },
    { name: 'from', description: 'ISO 8601 with a zone, included.', schema: timeSchema },
    { name: 'to', description: 'ISO 8601 with a zone, excluded.', schema: timeSchema },
    ...pageQuery.parameters,
  ],
  read: (given, details) => ({
    ...pageQuery.read(given, details),
    ...readTimes(given, details),
    order: readOrder(given, details),
  }),
}

function readOrder({ order = 'newest' }: QueryTexts, details: FailureDetail[]) {
  const known = orders.find((one) => one === order)
  if (known === undefined) {
    details.push({ path: 'order', message: `Must be one of: ${orders.join(', ')}.` })
  }
  return known ?? 'newest'
}

/** `from` and `to`. One that is no time, and a `to` that is not behind `from`, is added to the details. */
export function readTimes(given: QueryTexts, details: FailureDetail[]): Times {
  const fromMs = readTime(given, 'from', details)
  const toMs = readTime(given, 'to', details)
  if (fromMs !== undefined && toMs !== undefined && fromMs >= toMs) {
    details.push({ path: 'from', message: 'Must be before to.' })
  }
  return { ...(fromMs !== undefined && { fromMs }), ...(toMs !== undefined && { toMs }) }
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
