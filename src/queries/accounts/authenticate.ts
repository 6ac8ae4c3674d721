/** Authenticates callers by bearer token or SDK key (`invalid_api_token`, `invalid_sdk_key`). */

import { type ApiTokenParts, parseApiToken, secretMatches } from '../../auth/apiToken.ts'
import { parseSdkKey } from '../../auth/sdkKey.ts'
import type { AccountStreams } from '../../commands/accounts/assertAccess.ts'
import { openLastUse } from '../../commands/accounts/recordUse.ts'
import type { FoldedStream } from '../../commands/handling/streamType.ts'
import { Failure } from '../../domain/failure.ts'
import type { FrontEndPrincipal, Principal } from '../../domain/principal.ts'
import { type AccountState, accountStream, isInForce } from '../../events/accounts/account.ts'
import type { QueryContext } from '../reading/context.ts'
import { type LookupBounds, openLookupLimits } from '../reading/lookupLimits.ts'

type Context = AccountStreams & Pick<QueryContext, 'clock'>
type UseContext = Parameters<typeof openLastUse>[0]

/** The principal behind a bearer token. Throws `invalid_api_token` for every reason. */
export type Authenticate = (token: string) => Promise<Principal>

/**
 * The front end behind a public SDK key; `origin` is that of the page, undefined for what is no page. Throws `invalid_sdk_key`, the same
 * for every reason, and `origin_not_allowed`.
 */
export type AuthenticateFrontEnd = (
  key: string,
  origin: string | undefined,
) => Promise<FrontEndPrincipal>

/** Looks into the log in a second: only for keys that were issued once, so whoever sends what is revoked must not keep it busy. */
const looksPerSecondMax = 200

/**
 * Authenticates a front end by its key. Keys are cached like tokens: a revoked one is refused as soon as its revocation is
 * answered, by other instances within a second (design 6). A key that was never issued is refused without a lookup. Throws
 * `invalid_sdk_key` for every reason, and `origin_not_allowed` for a page of another origin.
 */
export function openFrontEndAuthentication(
  context: Context & UseContext & Pick<QueryContext, 'keyring'>,
): AuthenticateFrontEnd {
  const { clock, keyring } = context
  const noteUse = openLastUse(context, 'sdkKey')
  const find = openFindIssued(context, {
    in: ({ sdkKeys }) => sdkKeys,
    called: 'SDK keys',
    perSecondMax: looksPerSecondMax,
  })
  return async (text, origin) => {
    const parts = parseSdkKey(text, keyring.digest)
    const key = parts && (await find({ accountId: parts.accountId, id: parts.keyId }))
    if (!parts || !key || key.revoked) {
      throw new Failure('invalid_sdk_key', 'The SDK key is not valid.')
    }
    const { origins = [] } = key
    if (origins.length > 0 && !(origin !== undefined && origins.includes(origin))) {
      throw new Failure('origin_not_allowed', 'The SDK key is not for pages of this origin.')
    }
    noteUse({ accountId: parts.accountId, id: parts.keyId }, clock.nowMs())
    return { kind: 'front_end', ...parts }
  }
}

/**
 * Authenticates a caller by its token; `operatorTokenHash` is the SHA-256 of the operator's token, hexadecimal. An account's tokens are
 * read from its own stream, which this process caches: a revoked token is refused as soon as its revocation is answered, by other
 * instances within a second (design 6), an expired one from its last millisecond on. Throws `invalid_api_token` for every reason.
 */
export function openAuthentication(
  context: Context & UseContext,
  operatorTokenHash: string,
): Authenticate {
  const noteUse = openLastUse(context, 'token')
  const findToken = openFindToken(context)
  return async (token) => {
    const parts = parseApiToken(token)
    const nowMs = context.clock.nowMs()
    const kept = parts && (await findToken(parts))
    if (kept && secretMatches(parts.secret, kept.hash) && isInForce(kept, nowMs)) {
      const { accountId, tokenId } = parts
      noteUse({ accountId, id: tokenId }, nowMs)
      return { kind: 'account', accountId, tokenId, scopes: kept.scopes }
    }
    if (secretMatches(token, operatorTokenHash)) return { kind: 'operator' }
    throw new Failure('invalid_api_token', 'The API token is not valid.')
  }
}

type Token = AccountState['tokens'] extends ReadonlyMap<string, infer One> ? One : never

/** Throws `unavailable` when too many unknown tokens are looked up, and when the log cannot be read. */
export function openFindToken(
  context: Context,
): (
  parts: Pick<ApiTokenParts, 'accountId' | 'tokenId'>,
) => Token | undefined | Promise<Token | undefined> {
  const find = openFindIssued(context, {
    in: ({ tokens }) => tokens,
    called: 'API tokens',
    perSecondMax: 2_000,
  })
  return ({ accountId, tokenId }) => find({ accountId, id: tokenId })
}

/** What is sought, and where. */
interface Kind<One> extends LookupBounds {
  readonly in: (state: AccountState) => ReadonlyMap<string, One>
}

/** The id of one, and of its account. */
interface Sought {
  readonly accountId: string
  readonly id: string
}

/**
 * Answers the one sought as this instance holds it, at once where nothing has to be read, or else after one look into the log: what is not in it then is unknown. Whoever sends
 * ids that do not exist costs a bounded number of looks at a time and in a second, each no more than one question to the store. Throws
 * `unavailable` when too many are looked for, and when the log cannot be read.
 */
function openFindIssued<One>({ accounts, clock }: Context, kind: Kind<One>) {
  const look = openLookupLimits(clock, kind)

  const lookFor = (stream: string, { accountId, id }: Sought): Promise<One | undefined> =>
    look(`${accountId} ${id}`, async () => kind.in((await accounts.catchUp(stream)).state).get(id))

  return (sought: Sought): One | undefined | Promise<One | undefined> => {
    const stream = accountStream(sought.accountId)
    const folded = accounts.peek(stream) && accounts.folded(stream)
    if (!folded) return lookFor(stream, sought)
    const heldOf = (held: FoldedStream<AccountState>) =>
      kind.in(held.state).get(sought.id) ?? lookFor(stream, sought)
    return folded instanceof Promise ? folded.then(heldOf) : heldOf(folded)
  }
}
