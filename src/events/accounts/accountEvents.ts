/** The event types of the account family, as the catalogue needs them. */

import { type Definitions, plain } from '../recording/definition.ts'
import { list, object, oneOf, time, word } from '../recording/schema.ts'
import type { AccountEvent } from './account.ts'

/** By name, not by the list of those there are: what the versions below hold does not grow with it. */
const scope = oneOf(['eval', 'feedback', 'manage', 'author', 'analyse', 'audit', 'operate'])

export const accountEvents: Definitions<AccountEvent> = {
  AccountOpened: plain(object({ account_id: word, name: word })),
  AuthoringEnabled: plain(object({})),
  AuthoringDisabled: plain(object({})),
  ManagementEnabled: plain(object({})),
  ManagementDisabled: plain(object({})),
  TrustedUserAgreed: plain(object({})),
  TrustedUserWithdrawn: plain(object({})),
  CustomSuffixEnabled: plain(object({})),
  CustomSuffixDisabled: plain(object({})),
  PredictionFlowSet: plain(object({ flow_id: word })),
  PredictionFlowCleared: plain(object({})),
  ApiTokenIssued: plain(
    object({ token_id: word, hash: word, scopes: list(scope) }, { name: word, expires_at: time }),
  ),
  ApiTokenRevoked: plain(object({ token_id: word })),
  SdkKeyIssued: plain(object({ key_id: word }, { name: word })),
  SdkKeyOriginsSet: plain(object({ key_id: word, origins: list(word) })),
  SdkKeyRevoked: plain(object({ key_id: word })),
}
