/** The event types of the session family, as the catalogue needs them. */

import type { Definitions } from '../recording/definition.ts'
import { plain } from '../recording/definition.ts'
import { integerFrom, list, object, oneOf, text, time, word } from '../recording/schema.ts'
import type { SessionEvent } from './session.ts'
import { userSubject } from './user.ts'

const ofUser = ({ user_id }: { readonly user_id: string }) => userSubject(user_id)

const device = object({
  device_type: text,
  device_model: text,
  os_version: text,
  country_code: text,
})

export const sessionEvents: Definitions<SessionEvent> = {
  SessionStarted: {
    version: 1,
    schema: object({
      session_id: word,
      user_id: word,
      app_id: word,
      account_id: word,
      epoch: integerFrom(0),
      refresh_token_hash: word,
      scopes: list(word),
      started_at: time,
      expires_at: time,
    }),
    upcasters: [],
    personal: { device: { subject: ofUser, schema: device } },
  },
  SessionRefreshed: {
    version: 1,
    schema: object({
      session_id: word,
      user_id: word,
      generation: integerFrom(1),
      refresh_token_hash: word,
      key_thumbprint: word,
      proof_id: word,
      scopes: list(word),
      device_at: integerFrom(0),
      refreshed_at: time,
      expires_at: time,
    }),
    upcasters: [],
    personal: { device: { subject: ofUser, schema: device, optional: true } },
  },
  RefreshRepeated: plain(
    object({ session_id: word, user_id: word, proof_id: word, repeated_at: time }),
  ),
  SessionRevoked: plain(
    object({
      session_id: word,
      user_id: word,
      reason: oneOf(['user', 'account', 'reuse', 'limit']),
      revoked_at: time,
    }),
  ),
}
