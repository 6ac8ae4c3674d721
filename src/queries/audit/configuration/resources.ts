/** Declares what the configuration of an account consists of, and how each stream of it is read. */

import { accountStreamType } from '../../../commands/accounts/accounts.ts'
import { retentionStreamType } from '../../../commands/audit/retention.ts'
import type { StreamType } from '../../../commands/handling/streamType.ts'
import { rulebookStreamType } from '../../../commands/rulebook/rulebookStreams.ts'
import { appStreamType } from '../../../commands/sessions/streamTypes.ts'
import { appView, migrationConfigView, signingKeyViews } from '../../../commands/sessions/views.ts'
import { senderIdFamily } from '../../../commands/verification/senderIds.ts'
import { templateStreamType } from '../../../commands/verification/templates.ts'
import { type ObjectOf, text } from '../../../domain/schema.ts'
import { isoTime } from '../../../domain/text/isoTime.ts'
import type { AccountState } from '../../../events/accounts/account.ts'
import type { Retention } from '../../../events/audit/retention.ts'
import type { VigilEvent } from '../../../events/catalogue.ts'
import { authoredRule, flowContent, recipeContent } from '../../../events/rulebook/contents.ts'
import type { RulebookState } from '../../../events/rulebook/rulebook.ts'
import type { AppState } from '../../../events/sessions/app.ts'
import type { SenderIdState } from '../../../events/verification/senderId.ts'
import type { TemplateState } from '../../../events/verification/template.ts'

/** In the order in which they are answered. */
export const resourceKinds = [
  'rule',
  'recipe',
  'flow',
  'list',
  'account',
  'token',
  'sdk_key',
  'application',
  'sender_id',
  'template',
  'retention',
  'entry',
] as const

export type ResourceKind = (typeof resourceKinds)[number]

export const resourceFields = { kind: { type: 'string', enum: resourceKinds }, id: text } as const
export type Resource = ObjectOf<typeof resourceFields>

/** A resource as auditors see it; times in ISO 8601 UTC. */
export type Content = Readonly<Record<string, unknown>>

/** A stream type of the configuration. */
export interface Configured<State> {
  readonly kinds: readonly ResourceKind[]
  readonly family: Pick<StreamType<State, never>, 'initial' | 'evolve' | 'trim'>
  /** The resource that the event changes; undefined when it changes none. */
  readonly changes: (event: VigilEvent) => Resource | undefined
  /** Undefined for one that is not there. */
  readonly view: (state: State, resource: Resource) => Content | undefined
}

export const rulebookConfigured: Configured<RulebookState> = {
  kinds: ['rule', 'recipe', 'flow', 'list'],
  family: rulebookStreamType,
  changes: ({ data }) => {
    if ('rule_id' in data) return { kind: 'rule', id: data.rule_id }
    if ('recipe_id' in data) return { kind: 'recipe', id: data.recipe_id }
    if ('flow_id' in data) return { kind: 'flow', id: data.flow_id }
    return 'list_id' in data ? { kind: 'list', id: data.list_id } : undefined
  },
  view: (state, { kind, id }) => {
    if (kind === 'rule') {
      const rule = state.rules.get(id)?.current
      return rule && { ...authoredRule(rule) }
    }
    if (kind === 'recipe') {
      const { current, status } = state.recipes.get(id) ?? {}
      return current && { ...recipeContent(current), status, version_id: current.version_id }
    }
    if (kind === 'list') return state.lists.get(id) && { ...state.lists.get(id) }
    const flow = state.flows.get(id)?.current
    return flow && { ...flowContent(flow), version_id: flow.version_id }
  },
}

export const accountConfigured: Configured<AccountState> = {
  kinds: ['account', 'token', 'sdk_key'],
  family: accountStreamType,
  changes: ({ data }) => {
    if ('token_id' in data) return { kind: 'token', id: data.token_id }
    return 'key_id' in data
      ? { kind: 'sdk_key', id: data.key_id }
      : { kind: 'account', id: 'account' }
  },
  view: (state, { kind, id }) => {
    if (kind === 'account') return accountView(state)
    const held = kind === 'token' ? state.tokens.get(id) : state.sdkKeys.get(id)
    if (!held || held.revoked) return undefined
    if (!('hash' in held)) return { name: held.name, origins: held.origins }
    const { name, scopes, expiresAt } = held
    return { name, scopes, expires_at: expiresAt === undefined ? undefined : isoTime(expiresAt) }
  },
}

function accountView(state: AccountState): Content | undefined {
  if (!state.opened) return undefined
  const { name, authoring, management, trustedUser, customSuffix, predictionFlow } = state
  return {
    name,
    authoring,
    management,
    trusted_user: trustedUser,
    custom_suffix: customSuffix,
    prediction_flow_id: predictionFlow,
  }
}

export const senderIdConfigured: Configured<SenderIdState> = {
  kinds: ['sender_id'],
  family: senderIdFamily,
  changes: ({ data }) =>
    'sender_id' in data ? { kind: 'sender_id', id: data.sender_id } : undefined,
  view: (state, { id }) => state.get(id) && { ...state.get(id) },
}

export const templateConfigured: Configured<TemplateState> = {
  kinds: ['template'],
  family: templateStreamType,
  changes: ({ data }) =>
    'template_id' in data ? { kind: 'template', id: data.template_id } : undefined,
  view: (state, { id }) => state.get(id) && { ...state.get(id) },
}

export const retentionConfigured: Configured<Retention> = {
  kinds: ['retention'],
  family: retentionStreamType,
  changes: ({ type }) =>
    type === 'EvidenceExpired' ? undefined : { kind: 'retention', id: 'retention' },
  view: ({ days }) => (days === undefined ? undefined : { evaluations_days: days }),
}

export const appConfigured: Configured<AppState | undefined> = {
  kinds: ['application'],
  family: appStreamType,
  changes: ({ data }) => ('app_id' in data ? { kind: 'application', id: data.app_id } : undefined),
  view: (app, { id }) => {
    if (!app || app.retired_at !== undefined) return undefined
    const { app_id: _, ...view } = appView(id, app)
    const { migration } = app
    return {
      ...view,
      migration: migration && migrationConfigView(migration),
      signing_keys: signingKeyViews(app),
    }
  },
}
