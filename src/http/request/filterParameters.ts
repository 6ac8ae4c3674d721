/** Declares query parameters: filters (target, IP, device, correlation), times and time ranges. */

import { describeEmailRefusal, normalizeEmail } from '../../domain/evaluation/email.ts'
import { describePhoneRefusal, normalizeStoredPhone } from '../../domain/evaluation/phone.ts'
import type { FailureDetail } from '../../domain/failure.ts'
import { inputLimits } from '../../domain/jsonSchema.ts'
import { normalizePublicIp } from '../../domain/network/ipAddress.ts'
import { parseIsoTimeMs } from '../../engine/language/values/time.ts'
import type { PositionOrTime } from '../../queries/reading/pointInTime.ts'
import {
  buildQueryReader,
  choiceParameter,
  type ParameterTable,
  pageParameters,
  type QueryTexts,
  restorePlus,
  type TypedQueryParameter,
  textParameter,
  withFallback,
} from './queryReader.ts'

/** A time, in milliseconds since the Unix epoch. */
function timeParameter(name: string, description: string) {
  return {
    name,
    description,
    schema: { type: 'string', maxLength: 40 },
    parse: parseIsoTimeMs,
    message: 'Must be a time in ISO 8601 with a zone.',
  } satisfies TypedQueryParameter<number>
}

/** `from` (included) and `to` (excluded). */
export const buildTimeRangeParameters = (from: string, to: string) => ({
  fromMs: timeParameter('from', from),
  toMs: timeParameter('to', to),
})

export const timeRangeParameters = buildTimeRangeParameters(
  'ISO 8601 with a zone, included.',
  'ISO 8601 with a zone, excluded.',
)

/** Parameters of a search in the order of time: `order`, `from`, `to`, `limit`, `cursor`, `min_position`. */
export const timeOrderedListParameters = {
  order: withFallback(
    choiceParameter('order', ['newest', 'oldest'], 'Sort order by time.'),
    'newest',
  ),
  ...timeRangeParameters,
  ...pageParameters,
}

/** The reader of these parameters, `from` and `to` among them; a `to` not after `from` is added to the details. */
export function buildTimeRangeReader<Table extends ParameterTable & TimeParameters>(table: Table) {
  const query = buildQueryReader(table)
  return {
    ...query,
    read: (given: QueryTexts, details: FailureDetail[]) => {
      const read = query.read(given, details)
      const { fromMs, toMs }: { readonly fromMs?: number; readonly toMs?: number } = read
      if (fromMs !== undefined && toMs !== undefined && fromMs >= toMs) {
        details.push({ path: 'from', message: 'Must be before to.' })
      }
      return read
    },
  }
}

type TimeParameters = ReturnType<typeof buildTimeRangeParameters>

const correlationMax = 64

/** Filters by name; their values are in canonical form. */
export const filterParameters = {
  phone_number: {
    ...textParameter('phone_number', 'Only of this phone number.', 64),
    parse: (text: string) => normalizeStoredPhone(restorePlus(text)),
    message: (text: string) =>
      `${describePhoneRefusal(restorePlus(text))} In an address the + is written %2B.`,
  },
  email_address: {
    ...textParameter('email_address', 'Only of this email address.', 512),
    parse: normalizeEmail,
    message: describeEmailRefusal,
  },
  ip: {
    ...textParameter(
      'ip',
      'Only with this IP address: the one that counted, else the one that was sent.',
      64,
    ),
    parse: normalizePublicIp,
    message: 'Must be a public IPv4 or IPv6 address.',
  },
  device_id: textParameter(
    'device_id',
    'Only with this device id: the one that counted, else the one that was sent.',
    inputLimits.stringSchema,
  ),
  correlation_id: textParameter('correlation_id', 'Only with this correlation id.', correlationMax),
} satisfies ParameterTable

/** A point in the history: a position of the log, or a time in ISO 8601 with a zone. */
export function positionOrTimeParameter(name: string, meaning: string) {
  const forms = 'a position of the log, such as `X-Vigil-Position` says, or ISO 8601 with a zone.'
  return {
    name,
    description: `${meaning}: ${forms}`,
    schema: { type: 'string', minLength: 1, maxLength: 40 },
    parse: parsePointInTime,
    message: 'Must be a position of the log, or a time in ISO 8601 with a zone.',
  } satisfies TypedQueryParameter<PositionOrTime>
}

function parsePointInTime(text: string): PositionOrTime | undefined {
  const position = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  if (Number.isSafeInteger(position)) return { position }
  const timeMs = parseIsoTimeMs(text)
  return timeMs === undefined ? undefined : { timeMs }
}
