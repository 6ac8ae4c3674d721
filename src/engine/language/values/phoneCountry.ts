/** The country of a phone number, for rules. */

import { phoneCountry as countryOf } from '../../../domain/phone.ts'

/** The ISO 3166 code of an E.164 number's country; undefined when the text is not such a number or belongs to no one country. */
export function phoneCountry(number: string): string | undefined {
  return /^\+[1-9][0-9]{1,14}$/.test(number) ? countryOf(number) : undefined
}
