/** The event types of the family of SDK key uses, as the catalogue needs them. */

import { type Definitions, plain } from '../recording/definition.ts'
import { object, word } from '../recording/schema.ts'
import type { SdkKeyUseEvent } from './sdkKeyUse.ts'

export const sdkKeyUseEvents: Definitions<SdkKeyUseEvent> = {
  SdkKeyUsed: plain(object({ key_id: word })),
}
