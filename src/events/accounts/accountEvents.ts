/** The event types of the account family, as the catalogue needs them. */

import { scopes } from '../../domain/principal.ts'
import { type Definitions, plain } from '../recording/definition.ts'
import { list, object, oneOf, word } from '../recording/schema.ts'
import type { AccountEvent } from './account.ts'

export const accountEvents: Definitions<AccountEvent> = {
  AccountOpened: plain(object({ account_id: word, name: word })),
  AuthoringEnabled: plain(object({})),
  AuthoringDisabled: plain(object({})),
  ManagementEnabled: plain(object({})),
  ManagementDisabled: plain(object({})),
  TrustedUserAgreed: plain(object({})),
  TrustedUserWithdrawn: plain(object({})),
  ApiTokenIssued: plain(object({ token_id: word, hash: word, scopes: list(oneOf(scopes)) })),
  ApiTokenRevoked: plain(object({ token_id: word })),
}
