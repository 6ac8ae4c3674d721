/** What is answered for what is not there, by the kind of its id: for what never was, what is gone and what is another's alike. */

import { Failure, type FailureCode } from './failure.ts'
import type { IdPrefix } from './ids.ts'

/** Kinds whose absence has a code of its own; of the others it is `not_found`. */
const codes: Readonly<Partial<Record<IdPrefix, FailureCode>>> = { template: 'template_not_found' }

/** The code of the failure. */
export function missingCode(prefix: IdPrefix): FailureCode {
  return codes[prefix] ?? 'not_found'
}

/** The failure. */
export function missing(prefix: IdPrefix): Failure {
  return new Failure(missingCode(prefix), 'There is nothing with this id.')
}
