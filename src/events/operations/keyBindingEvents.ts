/** The event types of the key binding family, as the catalogue needs them. */

import { type Definitions, plain } from '../recording/definition.ts'
import { object, word } from '../recording/schema.ts'
import type { KeyBindingEvent } from './keyBinding.ts'

export const keyBindingEvents: Definitions<KeyBindingEvent> = {
  KeyStoreBound: plain(object({ key: word })),
}
