/** The parameters by which what was sent is found again: each is read in the form in which it is kept. */

import { canonicalEmail } from '../../domain/email.ts'
import type { FailureDetail } from '../../domain/failure.ts'
import { publicIp } from '../../domain/ipAddress.ts'
import { canonicalPhone } from '../../domain/phone.ts'
import type { QueryTexts } from './queryTexts.ts'
import type { QueryParameter } from './route.ts'
import { limits } from './schema.ts'

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

/** The parameter of this name. */
export function soughtParameter(name: SoughtName): QueryParameter {
  const { description, maxLength } = soughtKinds[name]
  return { name, description, schema: { type: 'string', minLength: 1, maxLength } }
}

/** The value in the form in which it is kept; undefined when there is none, or when it is none, which is added to the details. */
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
