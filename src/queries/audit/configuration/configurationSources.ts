/** Declares the kinds of resource in a configuration, and the streams that define them. */

import { type ObjectOf, text } from '../../../domain/jsonSchema.ts'
import { type ResourceKind, resourceKinds } from '../../../domain/resourceKinds.ts'
import { isoTime } from '../../../domain/text/isoTime.ts'
import { type AccountState, accountStream } from '../../../events/accounts/account.ts'
import { retentionStream } from '../../../events/audit/retention.ts'
import type { VigilEvent } from '../../../events/catalogue.ts'
import {
  pickFlowContent,
  pickRecipeContent,
  toAuthoredRule,
} from '../../../events/rulebook/authoredContent.ts'
import { rulebookStream } from '../../../events/rulebook/rulebook.ts'
import { senderIdStream } from '../../../events/verification/senderId.ts'
import { templateStream } from '../../../events/verification/template.ts'
import { accountStreamType } from '../../../state/accounts/accountStreamType.ts'
import { retentionStreamType } from '../../../state/audit/retentionStreamType.ts'
import type { StreamType } from '../../../state/folding/streamType.ts'
import { rulebookStreamType } from '../../../state/rulebook/rulebookStreams.ts'
import { appStreamType } from '../../../state/sessions/sessionStreamTypes.ts'
import {
  buildAppView,
  buildMigrationConfigView,
  buildSigningKeyViews,
} from '../../../state/sessions/views.ts'
import {
  senderIdStreamType,
  templateStreamType,
} from '../../../state/verification/verificationStreamTypes.ts'

export const resourceFields = { kind: { type: 'string', enum: resourceKinds }, id: text } as const
export type ConfiguredResource = ObjectOf<typeof resourceFields>

/** A resource as auditors see it; times in ISO 8601 UTC. */
export type ResourceContent = Readonly<Record<string, unknown>>

/** A stream type of the configuration. */
export interface ConfigurationSource<State = never> {
  /** Of an account; absent where it has several. */
  readonly stream?: (account: string) => string
  /** Its kinds of resources, each with the field of events that names one; null for the only one of an account. */
  readonly idFields: Partial<Readonly<Record<ResourceKind, string | null>>>
  readonly streamType: Pick<StreamType<State, never>, 'initial' | 'evolve'>
  /** Undefined for one that is not there. */
  readonly toContent: (state: State, resource: ConfiguredResource) => ResourceContent | undefined
}

/** The resource that the event changes; undefined when it changes none. */
export function findChangedResource(
  idFields: ConfigurationSource['idFields'],
  { type, data }: VigilEvent,
): ConfiguredResource | undefined {
  if (type === 'EvidenceExpired') return undefined
  for (const [kind, field] of Object.entries(idFields) as [ResourceKind, string | null][]) {
    if (field === null) return { kind, id: kind }
    if (field in data) return { kind, id: String(Reflect.get(data, field)) }
  }
  return undefined
}

function defineSource<State>(source: ConfigurationSource<State>): ConfigurationSource {
  return source as unknown as ConfigurationSource
}

const rulebookSource = defineSource({
  stream: rulebookStream,
  idFields: { rule: 'rule_id', recipe: 'recipe_id', flow: 'flow_id', list: 'list_id' },
  streamType: rulebookStreamType,
  toContent: (state, { kind, id }) => {
    if (kind === 'rule') {
      const rule = state.rules.get(id)?.current
      return rule && { ...toAuthoredRule(rule) }
    }
    if (kind === 'recipe') {
      const { current, status } = state.recipes.get(id) ?? {}
      return current && { ...pickRecipeContent(current), status, version_id: current.version_id }
    }
    if (kind === 'list') return state.lists.get(id) && { ...state.lists.get(id) }
    const flow = state.flows.get(id)?.current
    return flow && { ...pickFlowContent(flow), version_id: flow.version_id }
  },
})

const accountSource = defineSource({
  stream: accountStream,
  idFields: { token: 'token_id', sdk_key: 'key_id', account: null },
  streamType: accountStreamType,
  toContent: (state, { kind, id }) => {
    if (kind === 'account') return toAccountContent(state)
    const credential = kind === 'token' ? state.tokens.get(id) : state.sdkKeys.get(id)
    if (!credential || credential.revoked) return undefined
    if (!('hash' in credential)) return { name: credential.name, origins: credential.origins }
    const { name, scopes, expiresAt } = credential
    return { name, scopes, expires_at: expiresAt === undefined ? undefined : isoTime(expiresAt) }
  },
})

function toAccountContent(state: AccountState): ResourceContent | undefined {
  if (!state.opened) return undefined
  const { name, authoring, management, trusted_user, custom_suffix } = state
  const access = { authoring, management, trusted_user, custom_suffix }
  const { predictionFlow: prediction_flow_id, labelClasses: label_classes } = state
  return { name, ...access, prediction_flow_id, label_classes }
}

const appSource = defineSource({
  idFields: { application: 'app_id' },
  streamType: appStreamType,
  toContent: (app, { id }) => {
    if (!app || app.retired_at !== undefined) return undefined
    const { app_id: _, ...view } = buildAppView(id, app)
    const { migration } = app
    return {
      ...view,
      migration: migration && buildMigrationConfigView(migration),
      signing_keys: buildSigningKeyViews(app),
    }
  },
})

/** Every source, each with states of its own. */
export const configurationSources: readonly ConfigurationSource[] = [
  rulebookSource,
  accountSource,
  appSource,
  defineSource({
    stream: senderIdStream,
    idFields: { sender_id: 'sender_id' },
    streamType: senderIdStreamType,
    toContent: (state, { id }) => state.get(id) && { ...state.get(id) },
  }),
  defineSource({
    stream: templateStream,
    idFields: { template: 'template_id' },
    streamType: templateStreamType,
    toContent: (state, { id }) => state.get(id) && { ...state.get(id) },
  }),
  defineSource({
    stream: retentionStream,
    idFields: { retention: null },
    streamType: retentionStreamType,
    toContent: ({ days }) => (days === undefined ? undefined : { evaluations_days: days }),
  }),
]
