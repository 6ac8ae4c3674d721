/** The event types of the application family, as the catalogue needs them. */

import { type Definitions, plain } from '../recording/definition.ts'
import { integerFrom, list, object, oneOf, time, word } from '../recording/schema.ts'
import type { AppEvent } from './app.ts'

const count = integerFrom(0)

const settings = object({
  tokens: object({ access_seconds: count, refresh_seconds: count, signing_key_days: count }),
  password: object({
    min_length: count,
    max_length: count,
    uppercase: count,
    lowercase: count,
    numbers: count,
    symbols: count,
  }),
  allowed_origins: list(word),
  password_change_revokes: oneOf(['none', 'others', 'all']),
})

export const appEvents: Definitions<AppEvent> = {
  AppRegistered: plain(
    object({ app_id: word, account_id: word, name: word, settings, registered_at: time }),
  ),
  AppSettingsSet: plain(object({ app_id: word, settings })),
  AppRetired: plain(object({ app_id: word, retired_at: time })),
  SigningKeyAdded: plain(object({ app_id: word, kid: word, public_key: word, added_at: time })),
  SigningKeyRetired: plain(object({ app_id: word, kid: word, retired_at: time })),
  MigrationConfigSet: plain(
    object({ app_id: word, session_validation_url: word, created_at: time, updated_at: time }),
  ),
  MigrationConfigDeleted: plain(object({ app_id: word })),
}
