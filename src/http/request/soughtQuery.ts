/** Reads search parameters (target, IP, device, times) in the form in which values are stored. */

import type { PageRequest } from '../../domain/call.ts'
import { canonicalEmail } from '../../domain/evaluation/email.ts'
import { canonicalPhone } from '../../domain/evaluation/phone.ts'
import type { FailureDetail } from '../../domain/failure.ts'
import { publicIp } from '../../domain/network/ipAddress.ts'
import { isoTimeMs } from '../../engine/language/values/isoTime.ts'
import type { NamedPoint } from '../../queries/reading/pointInTime.ts'
import { pageQuery, type QueryReader, type QueryTexts } from './queryReader.ts'
import type { QueryParameter } from './route.ts'
import { limits } from './schema/schema.ts'

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

const correlationMax = 64

interface Sought {
  readonly description: string
  readonly maxLength: number
  /** The form in which it is kept; undefined for what it cannot be. */
  readonly canonical: (text: string) => string | undefined
  readonly message: string
}

/** Characters are counted as the schema of a body counts them: one outside the first plane is one. */
const within = (max: number) => (text: string) => {
  const fits = text !== '' && text.length <= 2 * max && [...text].length <= max
  return fits ? text : undefined
}

const soughtKinds = {
  phone_number: {
    description: 'Only of this phone number.',
    maxLength: 64,
    canonical: canonicalPhone,
    message:
      'Must be a phone number in E.164 form, such as +15551234567; in an address the + is written %2B.',
  },
  email_address: {
    description: 'Only of this email address.',
    maxLength: 512,
    canonical: canonicalEmail,
    message: 'Must be an email address.',
  },
  ip: {
    description: 'Only with this IP address: the one that counted, else the one that was sent.',
    maxLength: 64,
    canonical: publicIp,
    message: 'Must be a public IPv4 or IPv6 address.',
  },
  device_id: {
    description: 'Only with this device id: the one that counted, else the one that was sent.',
    maxLength: limits.text,
    canonical: within(limits.text),
    message: `Must be 1 to ${limits.text} characters.`,
  },
  correlation_id: {
    description: 'Only with this correlation id.',
    maxLength: correlationMax,
    canonical: within(correlationMax),
    message: `Must be 1 to ${correlationMax} characters.`,
  },
} as const satisfies Readonly<Record<string, Sought>>

export type SoughtName = keyof typeof soughtKinds

/** The query parameter of this name. */
export function soughtParameter(name: SoughtName): QueryParameter {
  const { description, maxLength } = soughtKinds[name]
  return { name, description, schema: { type: 'string', minLength: 1, maxLength } }
}

/** Reads the value in its stored form; undefined when absent, or when invalid, which is added to the details. */
export function readSought(
  given: QueryTexts,
  name: SoughtName,
  details: FailureDetail[],
): string | undefined {
  const text = given[name]
  if (text === undefined) return undefined
  const { canonical, message } = soughtKinds[name]
  const read = canonical(phoneText(name, text))
  if (read === undefined) details.push({ path: name, message })
  return read
}

/** A `+` that was not encoded arrives as a space, and no number begins with one. */
function phoneText(name: SoughtName, text: string): string {
  return name === 'phone_number' && text.startsWith(' ') ? `+${text.trimStart()}` : text
}

/** A point in the history, as a parameter names it. */
export const pointSchema = { type: 'string', minLength: 1, maxLength: 40 } as const

/** Parses a position of the log or a time in ISO 8601 with a zone; what is neither is added to the details. */
export function readPoint(
  given: QueryTexts,
  name: string,
  details: FailureDetail[],
): NamedPoint | undefined {
  const text = given[name]
  if (text === undefined) return undefined
  const position = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  if (Number.isSafeInteger(position)) return { position }
  const timeMs = isoTimeMs(text)
  if (timeMs !== undefined) return { timeMs }
  const message = 'Must be a position of the log, or a time in ISO 8601 with a zone.'
  details.push({ path: name, message })
  return undefined
}

interface Times {
  /** Milliseconds since the Unix epoch, included. */
  readonly fromMs?: number
  /** The same, excluded. */
  readonly toMs?: number
}

/** A page of what was found in the order of time. */
interface TimePage extends PageRequest, Times {
  readonly order: 'newest' | 'oldest'
}

function readOrder({ order = 'newest' }: QueryTexts, details: FailureDetail[]) {
  const known = orders.find((one) => one === order)
  if (known === undefined) {
    details.push({ path: 'order', message: `Must be one of: ${orders.join(', ')}.` })
  }
  return known ?? 'newest'
}

/** Reads `from` and `to`. An invalid time, or a `to` not after `from`, is added to the details. */
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
