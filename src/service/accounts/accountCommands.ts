/** What the operator does with accounts: opens them, says what they may use, issues and revokes their tokens and keys. */

import { makeApiToken } from '../../auth/apiToken.ts'
import { issueToken, revokeToken } from '../../commands/accounts/issueToken.ts'
import { openAccount, setAccess } from '../../commands/accounts/setAccess.ts'
import { Failure } from '../../domain/failure.ts'
import { derivedId } from '../../domain/ids.ts'
import { isoTime } from '../../domain/isoTime.ts'
import {
  accountStream,
  eventContextOf,
  type ServiceContext,
  write,
} from '../opening/serviceContext.ts'
import type { AccountsPart } from './accountsPart.ts'
import { openSdkKeyCommands } from './sdkKeyCommands.ts'
import { wasIssued } from './wasIssued.ts'

type Accounts = AccountsPart['accounts']

/** The commands on accounts. */
export function openAccountCommands(context: ServiceContext): Omit<Accounts, 'list' | 'get'> {
  return {
    open: openAccountOf(context),
    setAccess: setAccessOf(context),
    issueToken: issueTokenOf(context),
    revokeToken: revokeTokenOf(context),
    ...openSdkKeyCommands(context),
  }
}

function openAccountOf(context: ServiceContext): Accounts['open'] {
  return async (call, input) => {
    const eventContext = eventContextOf(context, call, {
      account: '',
      operation: 'accounts.open',
      input,
      ownStream: true,
    })
    const accountId = derivedId('acc', eventContext.command, 'account')
    const written = await write(context, context.accounts, {
      stream: accountStream(accountId),
      context: { ...eventContext, account: accountId },
      decide: openAccount({ accountId, name: input.name }),
    })
    return { ...written, value: { account_id: accountId } }
  }
}

function setAccessOf(context: ServiceContext): Accounts['setAccess'] {
  return async (call, accountId, input) => {
    const stream = accountStream(accountId)
    const written = await write(context, context.accounts, {
      stream,
      context: eventContextOf(context, call, {
        account: accountId,
        operation: 'access.set',
        input,
      }),
      decide: setAccess(input),
    })
    const { state, repeated, position } = written.value
    // a request sent again is answered as it was, whatever has been set since
    const { authoring, management, trustedUser, customSuffix } = repeated
      ? await context.accounts.stateAt(stream, position)
      : state
    const value = {
      authoring,
      management,
      trusted_user: trustedUser,
      custom_suffix: customSuffix,
    }
    return { ...written, value }
  }
}

function issueTokenOf(context: ServiceContext): Accounts['issueToken'] {
  return async (call, accountId, input) => {
    const eventContext = eventContextOf(context, call, {
      account: accountId,
      operation: 'tokens.issue',
      input,
    })
    const tokenId = tokenIdOf(eventContext.command)
    const { text, hash } = makeApiToken(accountId, tokenId, context.chance)
    const written = await write(context, context.accounts, {
      stream: accountStream(accountId),
      context: eventContext,
      decide: issueToken({ ...input, tokenId, hash }, eventContext.time),
    })
    if (written.value.repeated) throw shownOnce(tokenIdOf(written.value.command))
    const { name, expiresAtMs } = input
    const value = {
      token_id: tokenId,
      token: text,
      ...(name !== undefined && { name }),
      ...(expiresAtMs !== undefined && { expires_at: isoTime(expiresAtMs) }),
    }
    return { ...written, value }
  }
}

function tokenIdOf(command: string): string {
  return derivedId('tok', command, 'token')
}

/** Only a hash is kept, so a repeated request cannot be given the token again. */
function shownOnce(tokenId: string): Failure {
  return new Failure(
    'conflict',
    `This request issued the token ${tokenId} before; its text was shown then and is not kept. Revoke it and issue another.`,
  )
}

function revokeTokenOf(context: ServiceContext): Accounts['revokeToken'] {
  return async (call, accountId, tokenId) => {
    const stream = accountStream(accountId)
    const issued = await wasIssued(context, stream, {
      isHeld: ({ tokens }) => tokens.has(tokenId),
      isIssue: ({ type, data }) => type === 'ApiTokenIssued' && data.token_id === tokenId,
    })
    const written = await write(context, context.accounts, {
      stream,
      context: eventContextOf(context, call, {
        account: accountId,
        operation: `tokens.revoke ${tokenId}`,
        input: null,
      }),
      decide: revokeToken(tokenId, issued),
    })
    return { ...written, value: undefined }
  }
}
