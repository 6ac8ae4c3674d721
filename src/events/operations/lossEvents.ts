/** Defines the schemas of the events of accepted data loss, for the catalogue. */

import { type Definitions, plain } from '../recording/definition.ts'
import { integerFrom, list, object, oneOf, word } from '../recording/schema.ts'
import { keyLossReasons, type LossEvent } from './loss.ts'

const place = integerFrom(0)

export const lossEvents: Definitions<LossEvent> = {
  LogLossAccepted: plain(
    object(
      { kept_position: place, proven_by: list(word) },
      { missing: object({ first: place, last: place }) },
    ),
  ),
  KeyLossAccepted: plain(object({ reason: oneOf(keyLossReasons) }, { set_aside: word })),
}
