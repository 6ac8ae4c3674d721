/** The event types of the erasure family, as the catalogue needs them. */

import { type Definitions, plain } from '../recording/definition.ts'
import { list, object, word } from '../recording/schema.ts'
import type { ErasureEvent } from './erasure.ts'

export const erasureEvents: Definitions<ErasureEvent> = {
  SubjectErased: plain(object({ subject: word, keys: list(word) })),
}
