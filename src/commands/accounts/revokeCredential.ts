/** Revokes a token or SDK key of an account, from the log when it is not in memory. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Call, WriteResult } from '../../domain/call.ts'
import { Failure, notFound } from '../../domain/failure.ts'
import type { Principal } from '../../domain/principal.ts'
import {
  type AccountEvent,
  type AccountState,
  accountStream,
} from '../../events/accounts/account.ts'
import { decode } from '../../events/catalogue.ts'
import type { AccountStreams } from '../../state/accounts/requireAccess.ts'
import { mayHaveMore, pageOfStream } from '../../stores/eventStore.ts'
import type { WriteContext } from '../handling/commandContext.ts'
import { buildEventContext, executeAndWait } from '../handling/executeCommand.ts'

interface Kind {
  readonly operation: string
  readonly issuedIn: (state: AccountState) => ReadonlyMap<string, { readonly revoked: boolean }>
  /** Whether the event issued the one of this id. */
  readonly isIssue: (event: AccountEvent, id: string) => boolean
  readonly revoked: (id: string) => AccountEvent
  /** The refusal where there is no account, and where it has none of the id. */
  readonly unknown: Readonly<Record<'account' | 'id', string>>
}

const kinds: Readonly<Record<'token' | 'sdkKey', Kind>> = {
  token: {
    operation: 'tokens.revoke',
    issuedIn: ({ tokens }) => tokens,
    isIssue: ({ type, data }, id) => type === 'ApiTokenIssued' && data.token_id === id,
    revoked: (id) => ({ type: 'ApiTokenRevoked', data: { token_id: id } }),
    unknown: { account: 'There is no such account.', id: 'The account has no such token.' },
  },
  sdkKey: {
    operation: 'sdk_keys.revoke',
    issuedIn: ({ sdkKeys }) => sdkKeys,
    isIssue: ({ type, data }, id) => type === 'SdkKeyIssued' && data.key_id === id,
    revoked: (id) => ({ type: 'SdkKeyRevoked', data: { key_id: id } }),
    unknown: { account: notFound().message, id: notFound().message },
  },
}

interface Credential {
  readonly kind: keyof typeof kinds
  readonly id: string
}

/** Repeating it is no error. Throws `not_found` for one that the account never had. */
export async function revokeCredential(
  context: WriteContext & AccountStreams,
  call: Call<Principal>,
  { account, ...credential }: Credential & { readonly account: string },
): Promise<WriteResult<void>> {
  const stream = accountStream(account)
  const wasIssued = await findIssue(context, stream, credential)
  const operation = `${kinds[credential.kind].operation} ${credential.id}`
  const written = await executeAndWait(context, context.accounts, {
    stream,
    context: buildEventContext(context, call, { account, operation, input: null }),
    decide: decideRevocation(credential, wasIssued),
  })
  return { ...written, value: undefined }
}

/**
 * Revoking again changes nothing. `wasIssued` says whether the account ever had it, since those long out of force are
 * forgotten. Throws `not_found` for one that it never had: one revoked under the wrong account is still in force.
 */
export function decideRevocation({ kind, id }: Credential, wasIssued: boolean) {
  const { issuedIn, revoked, unknown } = kinds[kind]
  return (state: AccountState): readonly AccountEvent[] => {
    if (!state.opened) throw new Failure('not_found', unknown.account)
    const issued = issuedIn(state).get(id)
    if (!issued && !wasIssued) throw new Failure('not_found', unknown.id)
    return !issued || issued.revoked ? [] : [revoked(id)]
  }
}

/** Checks memory, else reads the account's stream page by page, yielding in between. */
async function findIssue(
  { accounts, events }: WriteContext & AccountStreams,
  stream: string,
  { kind, id }: Credential,
): Promise<boolean> {
  const { issuedIn, isIssue } = kinds[kind]
  if (issuedIn((await accounts.catchUp(stream)).state).has(id)) return true
  for (let from = 0; ; ) {
    const page = { from, ...pageOfStream }
    const read = await events.readStream(stream, page)
    if (read.map(decode).some(({ event }) => isIssue(event as AccountEvent, id))) return true
    if (!mayHaveMore(page, read)) return false
    from += read.length
    await nextTurn()
  }
}
