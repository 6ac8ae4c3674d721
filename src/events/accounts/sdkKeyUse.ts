/** The family of SDK key uses: streams `sdk_key_use-{key}-{hour}`, of one event each. */

import type { DomainEvent } from '../recording/event.ts'

/** The first use of a front end's key within an hour that was noticed; its metadata says when. */
export type SdkKeyUseEvent = DomainEvent<'SdkKeyUsed', { readonly key_id: string }>
