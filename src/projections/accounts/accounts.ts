/** Projects accounts for the operator: access, and tokens and keys without their hashes. */

import type { Scope } from '../../domain/principal.ts'
import { type AccountEvent, accessChanges } from '../../events/accounts/account.ts'
import type { SdkKeyUseEvent, TokenUseEvent } from '../../events/accounts/credentialUse.ts'
import {
  type CreatedPosition,
  defineCollection,
  defineProjection,
  keepCreatedPosition,
} from '../running/projection.ts'

/** By the account's id. */
export interface AccountDocument extends CreatedPosition {
  readonly name: string
  /** Milliseconds since the Unix epoch. */
  readonly opened_at: number
  readonly authoring: boolean
  readonly management: boolean
  readonly trusted_user: boolean
  readonly custom_suffix: boolean
  /** In the order of issue: those in force, and the last that ended; see `kept`. */
  readonly tokens: readonly AccountToken[]
  /** In the order of issue: those in force, and the last that were revoked. */
  readonly sdk_keys: readonly AccountSdkKey[]
}

/** A token or key. Times are in milliseconds since the Unix epoch. */
interface Credential {
  readonly name?: string
  readonly issued_at: number
  /** At most an hour before the last use. */
  readonly last_used_at?: number
  readonly revoked_at?: number
}

interface AccountToken extends Credential {
  readonly token_id: string
  readonly scopes: readonly Scope[]
  readonly expires_at?: number
}

/** A public key of front ends, which never expires. */
interface AccountSdkKey extends Credential {
  readonly key_id: string
  /** Origins of the pages that may use it; absent when all may. */
  readonly origins?: readonly string[]
}

const identity = { name: 'accounts', version: 7 } as const
export const accountCollection = defineCollection<AccountDocument>({
  projection: identity,
  indexes: [['made']],
})

/** Events that change no field of the document. */
type Unseen = {
  readonly type: 'PredictionFlowSet' | 'PredictionFlowCleared' | 'LabelClassesSet'
}

type Event = Exclude<AccountEvent, Unseen> | TokenUseEvent | SdkKeyUseEvent

export const accountsProjection = defineProjection<Event, AccountDocument>({
  ...identity,
  collections: [accountCollection],
  eventTypes: [
    'AccountOpened',
    ...(Object.keys(accessChanges) as (keyof typeof accessChanges)[]),
    'ApiTokenIssued',
    'ApiTokenRevoked',
    'ApiTokenUsed',
    'SdkKeyIssued',
    'SdkKeyOriginsSet',
    'SdkKeyUsed',
    'SdkKeyRevoked',
  ],
  targets: ({ metadata }) => [{ collection: accountCollection, id: metadata.account }],
  apply: (account, { event, metadata: { time }, position }) => {
    if (event.type === 'AccountOpened') {
      return {
        ...keepCreatedPosition(account, position),
        ...noAccess,
        name: event.data.name,
        opened_at: time,
      }
    }
    if (!account) throw new Error(`${event.type} on an account that was never opened`)
    return applyChange(account, event, time)
  },
})

const noAccess = {
  authoring: false,
  management: false,
  trusted_user: false,
  custom_suffix: false,
  tokens: [],
  sdk_keys: [],
} as const

type Later = Exclude<Event, { type: 'AccountOpened' }>

function applyChange(account: AccountDocument, event: Later, time: number): AccountDocument {
  switch (event.type) {
    case 'ApiTokenIssued': {
      const { hash: _, ...token } = event.data
      const tokens = [...account.tokens, { ...token, issued_at: time }]
      return { ...account, tokens: dropExcessEnded(tokens, time) }
    }
    case 'ApiTokenRevoked':
      return withToken(account, event.data.token_id, (token) => ({ ...token, revoked_at: time }))
    case 'ApiTokenUsed':
      return withToken(account, event.data.token_id, (token) => recordUse(token, time))
    case 'SdkKeyIssued': {
      const keys = [...account.sdk_keys, { ...event.data, issued_at: time }]
      return { ...account, sdk_keys: dropExcessEnded(keys, time) }
    }
    case 'SdkKeyOriginsSet':
      return withSdkKey(account, event.data.key_id, ({ origins: _, ...key }) => {
        const { origins } = event.data
        return { ...key, ...(origins.length > 0 && { origins }) }
      })
    case 'SdkKeyUsed':
      return withSdkKey(account, event.data.key_id, (key) => recordUse(key, time))
    case 'SdkKeyRevoked':
      return withSdkKey(account, event.data.key_id, (key) => ({ ...key, revoked_at: time }))
    default: {
      const [access, isOn] = accessChanges[event.type]
      return { ...account, [access]: isOn }
    }
  }
}

/** The latest use counts: uses on several instances may be recorded in another order. */
function recordUse<One extends Credential>(one: One, time: number): One {
  return { ...one, last_used_at: Math.max(one.last_used_at ?? 0, time) }
}

/** Tokens, and keys, shown after they ended. */
const endedMax = 100

type Ending = Pick<AccountToken, 'revoked_at' | 'expires_at'>

/** Drops what ended first, so that a document is bounded; how many are in force is bounded where they are issued. */
function dropExcessEnded<One extends Ending>(
  issued: readonly One[],
  nowMs: number,
): readonly One[] {
  const ended = issued
    .filter((one) => computeEnd(one) <= nowMs)
    .toSorted((a, b) => computeEnd(a) - computeEnd(b))
  const forgotten = new Set(ended.slice(0, -endedMax))
  return forgotten.size === 0 ? issued : issued.filter((one) => !forgotten.has(one))
}

function computeEnd({ revoked_at, expires_at }: Ending): number {
  const never = Number.POSITIVE_INFINITY
  return Math.min(revoked_at ?? never, expires_at ?? never)
}

function withToken(
  account: AccountDocument,
  id: string,
  change: (token: AccountToken) => AccountToken,
): AccountDocument {
  const tokens = account.tokens.map((token) => (token.token_id === id ? change(token) : token))
  return { ...account, tokens }
}

function withSdkKey(
  account: AccountDocument,
  id: string,
  change: (key: AccountSdkKey) => AccountSdkKey,
): AccountDocument {
  const sdk_keys = account.sdk_keys.map((key) => (key.key_id === id ? change(key) : key))
  return { ...account, sdk_keys }
}
