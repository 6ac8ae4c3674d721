/** What the operator may do: accounts, their access and tokens, and the dispatches of front ends. */

import { makeApiToken } from '../../auth/apiToken.ts'
import { issueToken, revokeToken } from '../../commands/accounts/issueToken.ts'
import { openAccount } from '../../commands/accounts/openAccount.ts'
import { setAccess } from '../../commands/accounts/setAccess.ts'
import { dispatchStream, recordDispatch } from '../../commands/signals/recordDispatch.ts'
import { Failure, notFound } from '../../domain/failure.ts'
import { derivedId, isId } from '../../domain/ids.ts'
import type { Service } from '../../service.ts'
import {
  accountStream,
  eventContextOf,
  type ServiceContext,
  write,
} from '../opening/serviceContext.ts'

type Operator = Omit<
  Service['operator'],
  'listAccounts' | 'getAccount' | 'listProjections' | 'retryProjection'
>

/** The operator's part of the service. */
export function openOperator(context: ServiceContext): Operator {
  return {
    openAccount: openAccountOf(context),
    setAccess: setAccessOf(context),
    issueToken: issueTokenOf(context),
    revokeToken: revokeTokenOf(context),
    recordDispatch: recordDispatchOf(context),
  }
}

function openAccountOf(context: ServiceContext): Operator['openAccount'] {
  return async (call, input) => {
    const eventContext = eventContextOf(context, call, {
      account: '',
      operation: 'accounts.open',
      input,
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

function setAccessOf(context: ServiceContext): Operator['setAccess'] {
  return async (call, accountId, input) => {
    assertAccountId(accountId)
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
    const { authoring, management, trustedUser } = repeated
      ? await context.accounts.stateAt(stream, position)
      : state
    return { ...written, value: { authoring, management, trusted_user: trustedUser } }
  }
}

function issueTokenOf(context: ServiceContext): Operator['issueToken'] {
  return async (call, accountId, input) => {
    assertAccountId(accountId)
    const eventContext = eventContextOf(context, call, {
      account: accountId,
      operation: 'tokens.issue',
      input,
    })
    const tokenId = derivedId('tok', eventContext.command, 'token')
    const { text, hash } = makeApiToken(accountId, tokenId, context.chance)
    const written = await write(context, context.accounts, {
      stream: accountStream(accountId),
      context: eventContext,
      decide: issueToken({ tokenId, hash, scopes: input.scopes }),
    })
    if (written.value.repeated) throw shownOnce(tokenId)
    return { ...written, value: { token_id: tokenId, token: text } }
  }
}

/** Only a hash is kept, so a repeated request cannot be given the token again. */
function shownOnce(tokenId: string): Failure {
  return new Failure(
    'conflict',
    `This request issued the token ${tokenId} before; its text was shown then and is not kept. Revoke it and issue another.`,
  )
}

function revokeTokenOf(context: ServiceContext): Operator['revokeToken'] {
  return async (call, accountId, tokenId) => {
    assertAccountId(accountId)
    const written = await write(context, context.accounts, {
      stream: accountStream(accountId),
      context: eventContextOf(context, call, {
        account: accountId,
        operation: `tokens.revoke ${tokenId}`,
        input: null,
      }),
      decide: revokeToken(tokenId),
    })
    return { ...written, value: undefined }
  }
}

function recordDispatchOf(context: ServiceContext): Operator['recordDispatch'] {
  return async (call, accountId, { dispatch_id, signals }) => {
    assertAccountId(accountId)
    const account = await context.accounts.held(accountStream(accountId))
    if (!account.state.opened) throw notFound()
    const digest = context.keyring.subject(accountId, 'dispatch', dispatch_id)
    // The dispatch's own id is its idempotency key: front ends send a dispatch again when an answer is lost.
    const eventContext = eventContextOf(
      context,
      { ...call, idempotencyKey: dispatch_id },
      { account: accountId, operation: 'dispatches.record', input: signals },
    )
    const written = await write(context, context.dispatches, {
      stream: dispatchStream(digest),
      context: eventContext,
      decide: recordDispatch(digest, signals),
    }).catch(asConflict)
    return { ...written, value: { dispatch_id } }
  }
}

function asConflict(error: unknown): never {
  if (error instanceof Failure && error.code === 'idempotency_key_reused') {
    throw new Failure('conflict', 'The dispatch is on record with other signals.')
  }
  throw error
}

function assertAccountId(id: string): void {
  if (!isId('acc', id)) throw notFound()
}
