/** The family of SDK key uses: streams `sdk_key_use-{key}-{hour}`, of one event each. */

import { type Definitions, plain } from '../recording/definition.ts'
import type { DomainEvent } from '../recording/event.ts'
import { object, word } from '../recording/schema.ts'

/** The first use of a front end's key within an hour that was noticed; its metadata says when. */
export type SdkKeyUseEvent = DomainEvent<'SdkKeyUsed', { readonly key_id: string }>

export const sdkKeyUseEvents: Definitions<SdkKeyUseEvent> = {
  SdkKeyUsed: plain(object({ key_id: word })),
}
