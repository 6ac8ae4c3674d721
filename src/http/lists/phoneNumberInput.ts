/** Entries of phone lists in the form the service takes them. */

import { type FailureDetail, invalidRequest } from '../../domain/failure.ts'
import { canonicalPhone } from '../../domain/phone.ts'
import type { PhoneList } from '../../domain/phoneLists.ts'
import { isoTimeMs } from '../../engine/language/values/isoTime.ts'
import type { PhoneNumberInput } from '../../service/lists/listsPart.ts'
import type { GivenPhoneNumber } from './phoneListSchemas.ts'

/** The entry. Throws `invalid_request` for what is wrong with it. */
export function phoneNumberInput(
  list: PhoneList,
  { phone_number, reason, expires_at }: GivenPhoneNumber,
): PhoneNumberInput {
  const problems: FailureDetail[] = []
  const phone = canonicalPhone(phone_number)
  if (phone === undefined) {
    const message = 'Must be a phone number in E.164 form, such as +15551234567.'
    problems.push({ path: 'phone_number', message })
  }
  const expiresAtMs = expires_at === undefined ? undefined : isoTimeMs(expires_at)
  if (expires_at !== undefined && expiresAtMs === undefined) {
    problems.push({ path: 'expires_at', message: 'Must be a time in ISO 8601 with a zone.' })
  }
  if (phone === undefined || problems.length > 0) throw invalidRequest(problems)
  return {
    list,
    phone_number: phone,
    ...(reason !== undefined && { reason }),
    ...(expiresAtMs !== undefined && { expiresAtMs }),
  }
}
