/** The target of a request in the form the service takes it (spec 2.2). */

import { canonicalEmail } from '../../domain/email.ts'
import type { FailureDetail } from '../../domain/failure.ts'
import type { Mutable } from '../../domain/mutable.ts'
import { canonicalPhone } from '../../domain/phone.ts'
import type { Target } from '../../domain/target.ts'

/** A target whose schema may have failed. */
export interface GivenTarget {
  readonly phone_number?: unknown
  readonly email_address?: unknown
  readonly type?: unknown
  readonly value?: unknown
}

/** The canonical target; what an explicit field leaves open is taken from `type` and `value`. What is wrong is added to the problems. */
export function readTarget(
  { phone_number, email_address, type, value }: GivenTarget,
  problems: FailureDetail[],
): Target {
  const phone = readHalf(
    {
      field: 'phone_number',
      own: phone_number,
      value: type === 'phone_number' ? value : undefined,
    },
    problems,
  )
  const email = readHalf(
    {
      field: 'email_address',
      own: email_address,
      value: type === 'email_address' ? value : undefined,
    },
    problems,
  )
  const target: Mutable<Target> = {}
  if (phone !== undefined) target.phone_number = phone
  if (email !== undefined) target.email_address = email
  return target
}

const halves = {
  phone_number: {
    canonical: canonicalPhone,
    message: 'Must be a phone number in E.164 form, such as +15551234567.',
  },
  email_address: { canonical: canonicalEmail, message: 'Must be an email address.' },
} as const

interface GivenHalf {
  readonly field: keyof typeof halves
  /** What stands under the field's own name. */
  readonly own: unknown
  /** What stands under `value`, when `type` names the field. */
  readonly value: unknown
}

function readHalf({ field, own, value }: GivenHalf, problems: FailureDetail[]): string | undefined {
  const given = own ?? value
  if (typeof given !== 'string') return undefined
  const { canonical, message } = halves[field]
  const read = canonical(given)
  if (read === undefined) {
    problems.push({ path: own === undefined ? 'target.value' : `target.${field}`, message })
  }
  return read
}
