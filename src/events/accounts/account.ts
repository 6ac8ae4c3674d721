/** Declares the events of an account (streams `account-{id}`) and folds them. */

import type { TypeOf } from '../../domain/jsonSchema.ts'
import type { Scope } from '../../domain/principal.ts'
import { defineNonPersonalEvent, type EventOf } from '../recording/eventDefinition.ts'
import { epochMs, list, nonEmptyString, object, oneOf } from '../recording/eventSchema.ts'

interface ApiToken {
  readonly hash: string
  readonly scopes: readonly Scope[]
  readonly revoked: boolean
  readonly name?: string
  /** In milliseconds since the Unix epoch. */
  readonly expiresAt?: number
}

interface SdkKey {
  readonly revoked: boolean
  readonly name?: string
  /** Of which the pages are that may use it; absent where all may, and what is no page. */
  readonly origins?: readonly string[]
}

export interface AccountState {
  readonly opened: boolean
  readonly name: string
  readonly authoring: boolean
  readonly management: boolean
  readonly trusted_user: boolean
  /** Whether the templates of the account may have suffixes of its own. */
  readonly custom_suffix: boolean
  /** Whether verification management was ever enabled: only then can the account have lists. */
  readonly hadManagement: boolean
  /** Id of the flow that answers predictions; undefined when none does. */
  readonly predictionFlow?: string
  /** What it takes for fraud and for legitimate; undefined while it has not said so. */
  readonly labelClasses?: readonly LabelClass[]
  /** Those that may be in force, and of those that were revoked the last issued. */
  readonly tokens: Map<string, ApiToken>
  /** Those in force, and of those that were revoked the last issued. */
  readonly sdkKeys: Map<string, SdkKey>
}

export const accountStream = (accountId: string): string => `account-${accountId}`

export const noAccount: AccountState = {
  opened: false,
  name: '',
  authoring: false,
  management: false,
  trusted_user: false,
  custom_suffix: false,
  hadManagement: false,
  tokens: new Map(),
  sdkKeys: new Map(),
}

export function evolveAccount(state: AccountState, event: AccountEvent): AccountState {
  switch (event.type) {
    case 'AccountOpened':
      return { ...state, opened: true, name: event.data.name }
    case 'PredictionFlowSet':
      return { ...state, predictionFlow: event.data.flow_id }
    case 'PredictionFlowCleared': {
      const { predictionFlow: _, ...rest } = state
      return rest
    }
    case 'LabelClassesSet':
      return { ...state, labelClasses: event.data.classes }
    case 'ApiTokenIssued': {
      const { token_id, expires_at: expiresAt, ...token } = event.data
      const end = expiresAt === undefined ? {} : { expiresAt }
      return withToken(state, token_id, { ...token, revoked: false, ...end })
    }
    case 'ApiTokenRevoked': {
      const token = state.tokens.get(event.data.token_id)
      return token ? withToken(state, event.data.token_id, { ...token, revoked: true }) : state
    }
    case 'SdkKeyIssued': {
      const { key_id, ...key } = event.data
      return withSdkKey(state, key_id, { ...key, revoked: false })
    }
    case 'SdkKeyRevoked':
      return withSdkKey(state, event.data.key_id, { revoked: true })
    case 'SdkKeyOriginsSet': {
      const { key_id, origins } = event.data
      const { origins: _, ...key } = state.sdkKeys.get(key_id) ?? { revoked: false }
      return withSdkKey(state, key_id, { ...key, ...(origins.length > 0 && { origins }) })
    }
    default: {
      const managedOnce = state.hadManagement || event.type === 'ManagementEnabled'
      const [access, isOn] = accessChanges[event.type]
      return { ...state, hadManagement: managedOnce, [access]: isOn }
    }
  }
}

/** The events that change what the account may use, each with the access and whether the account has it. */
export const accessChanges = {
  AuthoringEnabled: ['authoring', true],
  AuthoringDisabled: ['authoring', false],
  ManagementEnabled: ['management', true],
  ManagementDisabled: ['management', false],
  TrustedUserAgreed: ['trusted_user', true],
  TrustedUserWithdrawn: ['trusted_user', false],
  CustomSuffixEnabled: ['custom_suffix', true],
  CustomSuffixDisabled: ['custom_suffix', false],
} as const

function withToken(state: AccountState, id: string, token: ApiToken): AccountState {
  const tokens = new Map(state.tokens).set(id, token)
  if (token.revoked) trimRevoked(tokens)
  else trimUnrevoked(tokens)
  return { ...state, tokens }
}

function withSdkKey(state: AccountState, id: string, key: SdkKey): AccountState {
  const sdkKeys = new Map(state.sdkKeys).set(id, key)
  if (key.revoked) trimRevoked(sdkKeys)
  return { ...state, sdkKeys }
}

/** Whether the token is accepted at this time: neither revoked nor expired. */
export function isInForce({ revoked, expiresAt }: ApiToken, nowMs: number): boolean {
  return !revoked && (expiresAt === undefined || nowMs < expiresAt)
}

/**
 * Revoked tokens in memory, and revoked keys: the last issued. How many keys are in force is bounded where they are
 * issued.
 */
const revokedMax = 100
/** Other tokens in memory, of which at most half can be in force at any time. */
const unrevokedMax = 2_000

/** Forgets the token that ends first, in place, when there are too many that were not revoked. It stays in the log. */
function trimUnrevoked(tokens: Map<string, ApiToken>): void {
  let count = 0
  let first = { id: '', end: Number.POSITIVE_INFINITY }
  for (const [id, { revoked, expiresAt: end = Number.POSITIVE_INFINITY }] of tokens) {
    if (revoked) continue
    count += 1
    if (count === 1 || end < first.end) first = { id, end }
  }
  if (count > unrevokedMax) tokens.delete(first.id)
}

/** Forgets the first of those that were revoked, in place, beyond a limit. They stay in the log. */
function trimRevoked(issued: Map<string, { readonly revoked: boolean }>): void {
  const revoked = [...issued].filter(([, one]) => one.revoked)
  for (const [id] of revoked.slice(0, -revokedMax)) issued.delete(id)
}

/** By name, not by the list of those there are: what the versions below hold does not grow with it. */
const scope = oneOf(['eval', 'feedback', 'manage', 'author', 'analyse', 'audit', 'operate'])

const nothing = defineNonPersonalEvent({})

const labelClass = object(
  { label: nonEmptyString, class: oneOf(['fraud', 'legitimate', 'none']) },
  { confidences: list(oneOf(['maximum', 'high', 'neutral', 'low', 'minimum'])) },
)
type LabelClass = TypeOf<typeof labelClass>

export const accountEvents = {
  AccountOpened: defineNonPersonalEvent({ account_id: nonEmptyString, name: nonEmptyString }),
  AuthoringEnabled: nothing,
  AuthoringDisabled: nothing,
  ManagementEnabled: nothing,
  ManagementDisabled: nothing,
  TrustedUserAgreed: nothing,
  TrustedUserWithdrawn: nothing,
  CustomSuffixEnabled: nothing,
  CustomSuffixDisabled: nothing,
  /** Which flow answers predictions; the last one that was set does. */
  PredictionFlowSet: defineNonPersonalEvent({ flow_id: nonEmptyString }),
  PredictionFlowCleared: nothing,
  /** Which reported events mean fraud, and which a legitimate user: the first entry that fits counts. */
  LabelClassesSet: defineNonPersonalEvent({ classes: list(labelClass) }),
  /**
   * `name` is what the operator calls it. From `expires_at` (milliseconds since the Unix epoch) on it is refused;
   * absent for never.
   */
  ApiTokenIssued: defineNonPersonalEvent(
    { token_id: nonEmptyString, hash: nonEmptyString, scopes: list(scope) },
    { name: nonEmptyString, expires_at: epochMs },
  ),
  ApiTokenRevoked: defineNonPersonalEvent({ token_id: nonEmptyString }),
  /** A public key of the account's front ends; `name` is what the operator calls it. */
  SdkKeyIssued: defineNonPersonalEvent({ key_id: nonEmptyString }, { name: nonEmptyString }),
  /** The origins whose pages may use the key; an empty list for all, and for what is no page. */
  SdkKeyOriginsSet: defineNonPersonalEvent({
    key_id: nonEmptyString,
    origins: list(nonEmptyString),
  }),
  SdkKeyRevoked: defineNonPersonalEvent({ key_id: nonEmptyString }),
}

export type AccountEvent = EventOf<typeof accountEvents>
