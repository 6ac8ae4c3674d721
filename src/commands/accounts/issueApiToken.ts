/** Issues the API tokens of an account; only their hashes are recorded. */

import { makeApiToken } from '../../auth/apiToken.ts'
import type { Call, WriteResult } from '../../domain/call.ts'
import { Failure, invalidRequest } from '../../domain/failure.ts'
import { deriveId } from '../../domain/ids.ts'
import {
  closedObject,
  nameSchema,
  openObject,
  optional,
  type TypeOf,
  text,
  timeSchema,
} from '../../domain/jsonSchema.ts'
import { type Principal, scopes } from '../../domain/principal.ts'
import { isoTime } from '../../domain/text/isoTime.ts'
import { parseIsoTimeMs } from '../../engine/language/values/time.ts'
import {
  type AccountEvent,
  type AccountState,
  accountStream,
  isInForce,
} from '../../events/accounts/account.ts'
import type { AccountStreams } from '../../state/accounts/requireAccess.ts'
import type { WriteContext } from '../handling/commandContext.ts'
import { buildEventContext, executeAndWait } from '../handling/executeCommand.ts'

export const tokenInputSchema = closedObject('TokenInput', {
  scopes: {
    type: 'array',
    minItems: 1,
    maxItems: scopes.length,
    uniqueItems: true,
    items: { type: 'string', enum: scopes },
  },
  name: optional({
    ...nameSchema,
    description: 'Name: where it is used, or by whom.',
  }),
  expires_at: optional({
    type: 'string',
    maxLength: 40,
    description:
      'Expiry, ISO 8601 with a zone, at most ten years ahead. Without it the token does not expire.',
  }),
})
type GivenToken = TypeOf<typeof tokenInputSchema>

/** `expiresAtMs` in milliseconds since the Unix epoch; undefined for a token that does not expire. */
type TokenInput = Omit<GivenToken, 'expires_at'> & { readonly expiresAtMs?: number }

export const issuedTokenSchema = openObject('Token', {
  token_id: text,
  token: { type: 'string', description: 'Shown once; only a hash is stored.' },
  name: optional(text),
  expires_at: optional(timeSchema),
})
export type IssuedApiToken = TypeOf<typeof issuedTokenSchema>

type Context = WriteContext & AccountStreams

/**
 * Throws `not_found`, `conflict` when the account has too many, and for a repeated request: the token's text was shown
 * then; `invalid_request` for an end that is no time, is not ahead, or more than ten years.
 */
export async function issueApiToken(
  context: Context,
  call: Call<Principal>,
  { account, ...given }: GivenToken & { readonly account: string },
): Promise<WriteResult<IssuedApiToken>> {
  const input = readTokenInput(given)
  const eventContext = buildEventContext(context, call, {
    account,
    operation: 'tokens.issue',
    input,
  })
  const tokenId = deriveTokenId(eventContext.command)
  const { text, hash } = makeApiToken(account, tokenId, context.random)
  const written = await executeAndWait(context, context.accounts, {
    stream: accountStream(account),
    context: eventContext,
    decide: decideApiTokenIssue({ ...input, tokenId, hash }, eventContext.time),
  })
  if (written.value.repeated) throw buildRepeatedIssueFailure(deriveTokenId(written.value.command))
  const { name, expiresAtMs } = input
  const value = {
    token_id: tokenId,
    token: text,
    ...(name !== undefined && { name }),
    ...(expiresAtMs !== undefined && { expires_at: isoTime(expiresAtMs) }),
  }
  return { ...written, value }
}

function readTokenInput({ expires_at, ...input }: GivenToken): TokenInput {
  if (expires_at === undefined) return input
  const expiresAtMs = parseIsoTimeMs(expires_at)
  if (expiresAtMs !== undefined) return { ...input, expiresAtMs }
  throw invalidRequest([{ path: 'expires_at', message: 'Must be a time in ISO 8601 with a zone.' }])
}

function deriveTokenId(command: string): string {
  return deriveId('tok', command, 'token')
}

/** Only a hash is stored, so a repeated request cannot be given the token again. */
function buildRepeatedIssueFailure(tokenId: string): Failure {
  return new Failure(
    'conflict',
    `This request issued the token ${tokenId} before; its text was shown then and is not kept. Revoke it and issue another.`,
  )
}

/** How many tokens of an account may be in force at once. */
const tokensMax = 1_000

/** How far ahead the end of a token may lie. */
const lifetimeMaxMs = 10 * 365 * 24 * 60 * 60 * 1_000

interface DecidedToken extends TokenInput {
  readonly tokenId: string
  readonly hash: string
}

/** Only the hash of the token is recorded. */
export function decideApiTokenIssue(input: DecidedToken, nowMs: number) {
  return (state: AccountState): readonly AccountEvent[] => {
    if (!state.opened) throw new Failure('not_found', 'There is no such account.')
    const inForce = [...state.tokens.values()].filter((token) => isInForce(token, nowMs)).length
    if (inForce >= tokensMax) {
      throw new Failure('conflict', `An account has at most ${tokensMax} tokens; revoke one first.`)
    }
    const { tokenId, hash, name, expiresAtMs } = input
    assertExpiryAhead(expiresAtMs, nowMs)
    const data = {
      token_id: tokenId,
      hash,
      scopes: [...new Set(input.scopes)],
      ...(name !== undefined && { name }),
      ...(expiresAtMs !== undefined && { expires_at: expiresAtMs }),
    }
    return [{ type: 'ApiTokenIssued', data }]
  }
}

function assertExpiryAhead(expiresAtMs: number | undefined, nowMs: number): void {
  if (expiresAtMs === undefined) return
  if (expiresAtMs > nowMs && expiresAtMs - nowMs <= lifetimeMaxMs) return
  throw invalidRequest([
    { path: 'expires_at', message: 'Must be a time to come, at most ten years ahead.' },
  ])
}
