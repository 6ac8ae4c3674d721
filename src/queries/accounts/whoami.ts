/** Tells the holder of a token its account, scopes and name. */

import { booleanSchema, openObject, optional, type TypeOf, text } from '../../domain/jsonSchema.ts'
import { type Principal, scopes } from '../../domain/principal.ts'
import { isoTime } from '../../domain/text/isoTime.ts'
import { accountStream } from '../../events/accounts/account.ts'
import type { AccountStreams } from '../../state/accounts/requireAccess.ts'

export const whoamiSchema = openObject('Whoami', {
  kind: { type: 'string', enum: ['account', 'operator'] },
  scopes: {
    type: 'array',
    items: { type: 'string', enum: scopes },
    description: 'None of the operator, who may do what is for operators.',
  },
  account_id: optional({ type: 'string', description: 'Absent of the operator, as all below.' }),
  account_name: optional(text),
  token_id: optional(text),
  name: optional({ type: 'string', description: 'The name that the token was given, if any.' }),
  expires_at: optional({ type: 'string', description: 'Absent when the token does not expire.' }),
  authoring: optional({ ...booleanSchema, description: 'Whether the account may author rules.' }),
  management: optional({
    ...booleanSchema,
    description: 'Whether it may manage verification settings.',
  }),
})
export type WhoamiView = TypeOf<typeof whoamiSchema>

export async function findWhoami(
  { accounts }: AccountStreams,
  principal: Principal,
): Promise<WhoamiView> {
  if (principal.kind !== 'account') return { kind: 'operator', scopes: [] }
  const { accountId, tokenId, scopes: own } = principal
  const { state } = await accounts.getFolded(accountStream(accountId))
  const { name, expiresAt } = state.tokens.get(tokenId) ?? {}
  return {
    kind: 'account',
    scopes: own,
    account_id: accountId,
    account_name: state.name,
    token_id: tokenId,
    ...(name !== undefined && { name }),
    ...(expiresAt !== undefined && { expires_at: isoTime(expiresAt) }),
    authoring: state.authoring,
    management: state.management,
  }
}
