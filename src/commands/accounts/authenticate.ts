/** Authenticates callers by bearer token or SDK key (`invalid_api_token`, `invalid_sdk_key`). */

import { type ApiTokenParts, parseApiToken, secretMatches } from '../../auth/apiToken.ts'
import { parseSdkKey } from '../../auth/sdkKey.ts'
import type { Clock } from '../../domain/clock.ts'
import { Failure } from '../../domain/failure.ts'
import { type LimitedLookup, openLookupLimits } from '../../domain/load/lookupLimits.ts'
import type { FrontEndPrincipal, Principal } from '../../domain/principal.ts'
import { type AccountState, accountStream, isInForce } from '../../events/accounts/account.ts'
import type { AccountStreams } from '../../state/accounts/requireAccess.ts'
import type { FoldedStream } from '../../state/folding/streamType.ts'
import type { CommandContext } from '../handling/commandContext.ts'
import { type LastUses, openLastUses, recordCredentialUse } from './recordCredentialUse.ts'

/** What one process remembers to authenticate callers at little cost. */
export interface Authentication {
  /** SHA-256 of the operator's token, hexadecimal; undefined without an operator. */
  readonly operatorTokenHash: string | undefined
  readonly tokenLookups: LimitedLookup
  readonly keyLookups: LimitedLookup
  readonly lastUses: LastUses
}

export function openAuthentication(clock: Clock, operatorTokenHash?: string): Authentication {
  return {
    operatorTokenHash,
    tokenLookups: openLookupLimits(clock, { pluralName: 'API tokens', perSecondMax: 2_000 }),
    // only for keys that were issued once: requests with revoked ones must not flood the log with reads
    keyLookups: openLookupLimits(clock, { pluralName: 'SDK keys', perSecondMax: 200 }),
    lastUses: openLastUses(),
  }
}

type AuthenticationContext = AccountStreams & { readonly authentication: Authentication }
type Context = AuthenticationContext &
  Parameters<typeof recordCredentialUse>[0] &
  Pick<CommandContext, 'clock'>

/**
 * The front end behind a public SDK key; `origin` is that of the page, undefined for what is no page. Keys are cached
 * like tokens: a revoked one is refused as soon as its revocation is answered, by other instances within a second
 * (design 6). A key that was never issued is refused without a lookup. Throws `invalid_sdk_key` for every reason, and
 * `origin_not_allowed` for a page of another origin.
 */
export async function authenticateFrontEnd(
  context: Context & Pick<CommandContext, 'keyring'>,
  text: string,
  origin: string | undefined,
): Promise<FrontEndPrincipal> {
  const { clock, keyring, authentication } = context
  const parts = parseSdkKey(text, keyring.digest)
  const key =
    parts &&
    (await findIssued(context, {
      accountId: parts.accountId,
      id: parts.keyId,
      of: ({ sdkKeys }) => sdkKeys,
      lookups: authentication.keyLookups,
    }))
  if (!parts || !key || key.revoked) {
    throw new Failure('invalid_sdk_key', 'The SDK key is not valid.', { isWrongToken: true })
  }
  const { origins = [] } = key
  if (origins.length > 0 && !(origin !== undefined && origins.includes(origin))) {
    throw new Failure('origin_not_allowed', 'The SDK key is not for pages of this origin.')
  }
  const use = { kind: 'sdkKey', accountId: parts.accountId, id: parts.keyId } as const
  recordCredentialUse(context, authentication.lastUses, { ...use, timeMs: clock.nowMs() })
  return { kind: 'front_end', ...parts }
}

/**
 * The caller behind a bearer token. An account's tokens are read from its own stream, which this process caches: a
 * revoked token is refused as soon as its revocation is answered, by other instances within a second (design 6), an
 * expired one from its last millisecond on. Throws `invalid_api_token` for every reason.
 */
export async function authenticateToken(context: Context, token: string): Promise<Principal> {
  const { operatorTokenHash, lastUses } = context.authentication
  const parts = parseApiToken(token)
  const nowMs = context.clock.nowMs()
  const issued = parts && (await findToken(context, parts))
  if (issued && secretMatches(parts.secret, issued.hash) && isInForce(issued, nowMs)) {
    const { accountId, tokenId } = parts
    recordCredentialUse(context, lastUses, { kind: 'token', accountId, id: tokenId, timeMs: nowMs })
    return { kind: 'account', accountId, tokenId, scopes: issued.scopes }
  }
  if (operatorTokenHash !== undefined && secretMatches(token, operatorTokenHash)) {
    return { kind: 'operator' }
  }
  throw new Failure('invalid_api_token', 'The API token is not valid.', { isWrongToken: true })
}

type Token = AccountState['tokens'] extends ReadonlyMap<string, infer One> ? One : never

/** Throws `unavailable` when too many unknown tokens are looked up, and when the log cannot be read. */
export function findToken(
  context: AuthenticationContext,
  { accountId, tokenId: id }: Pick<ApiTokenParts, 'accountId' | 'tokenId'>,
): Token | undefined | Promise<Token | undefined> {
  const { tokenLookups: lookups } = context.authentication
  return findIssued(context, { accountId, id, of: ({ tokens }) => tokens, lookups })
}

interface Sought<One> {
  readonly accountId: string
  readonly id: string
  readonly of: (state: AccountState) => ReadonlyMap<string, One>
  readonly lookups: LimitedLookup
}

/**
 * From the cache, at once where nothing has to be read, or else after one read of the log: what is not in it then is
 * unknown. Reads for ids that do not exist are limited at a time and per second.
 */
function findIssued<One>(
  { accounts }: AccountStreams,
  { accountId, id, of, lookups }: Sought<One>,
): One | undefined | Promise<One | undefined> {
  const stream = accountStream(accountId)
  const lookUp = (): Promise<One | undefined> =>
    lookups(`${accountId} ${id}`, async () => of((await accounts.catchUp(stream)).state).get(id))
  const findIn = ({ state }: FoldedStream<AccountState>) => of(state).get(id) ?? lookUp()
  const folded = accounts.peek(stream) && accounts.getFolded(stream)
  if (!folded) return lookUp()
  return folded instanceof Promise ? folded.then(findIn) : findIn(folded)
}
