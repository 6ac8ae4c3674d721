/** The key binding family: one stream, `installation-keys`, of the key stores that the log's personal data is sealed with. */

import type { DomainEvent } from '../recording/event.ts'

/** The one stream of them. */
export const keyBindingStream = 'installation-keys'

export type KeyBindingEvent = DomainEvent<'KeyStoreBound', KeyStoreBound>

/** Whoever writes to the log has, from this event to the next one of its kind, the key store that has this key. */
interface KeyStoreBound {
  /** The id of a key that seals nothing. */
  readonly key: string
}
