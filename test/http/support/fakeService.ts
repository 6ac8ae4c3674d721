/** A service whose every function answers something plausible at once, and can be replaced one by one; its context is real, over stores in memory. */

import { sdkKeyText } from '../../../src/auth/sdkKey.ts'
import { usualAppSettings } from '../../../src/domain/appSettings.ts'
import { Failure } from '../../../src/domain/failure.ts'
import { type Principal, type Scope, scopes } from '../../../src/domain/principal.ts'
import type {
  VersionedResource,
  VersionView,
} from '../../../src/service/rulebook/versionedResource.ts'
import type { AppView } from '../../../src/service/sessions/sessionsPart.ts'
import type { Service } from '../../../src/service.ts'
import { keyring, memoryContext } from './memoryContext.ts'

export const operatorToken = 'the-operator-token-of-these-tests'

const letters = (letter: string) => `0${letter.repeat(25)}`

export const ids = {
  account: `acc_${letters('a')}`,
  token: `tok_${letters('t')}`,
  sdkKey: `sdk_${letters('s')}`,
  evaluation: `evl_${letters('e')}`,
  flow: `flo_${letters('f')}`,
  recipe: `rcp_${letters('c')}`,
  rule: `rul_${letters('r')}`,
  list: `lst_${letters('s')}`,
  version: `ver_${letters('v')}`,
  template: `template_${letters('m')}`,
  user: `usr_${letters('n')}`,
  session: `ses_${letters('w')}`,
  erasure: `era_${letters('z')}`,
}

/** The one SDK key that `fakeService` takes. */
export const sdkKey = sdkKeyText({ accountId: ids.account, keyId: ids.sdkKey }, keyring.digest)
export const appId = '54e9ujn'

/** A token that `fakeService` takes for one with these scopes. */
export const tokenWith = (...granted: readonly Scope[]) => `with:${granted.join(',')}`

export const everyScope = tokenWith(...scopes)

/** A token with every scope of another account. */
export const ofAccount = (number: number) => `of:${number}`

/** The id of that account. */
export const accountNumber = (number: number) => `acc_${String(number).padStart(26, '0')}`

const evaluation = {
  id: ids.evaluation,
  verdict: 'FLAG',
  recipes: [
    {
      recipe_id: ids.recipe,
      threshold: 50,
      score: 60,
      verdict: 'FLAG',
      partial_evidence: true,
      rules: [
        {
          rule_id: ids.rule,
          type: 'CUSTOM',
          name: 'large cart',
          version_id: ids.version,
          weight: 60,
          outcome: 'TRIGGERED',
        },
      ],
    },
  ],
} as const

function resource<Input, View extends object, Caller extends Principal>(
  view: View,
): VersionedResource<Input, View, Caller> {
  return {
    list: async () => ({ value: { items: [view], nextCursor: 'next' }, position: 7 }),
    get: async () => ({ value: view, position: 7 }),
    create: async () => ({ value: view, warnings: [], position: 8, visible: true }),
    replace: async () => ({ value: view, warnings: [], position: 9, visible: true }),
    remove: async () => ({ value: undefined, position: 10, visible: true }),
    versions: async () => ({ value: { items: [versionOf(view)] }, position: 7 }),
    restore: async () => ({ value: view, warnings: [], position: 11, visible: true }),
  }
}

const counts = {
  count: 1,
  triggered: 1,
  not_triggered: 0,
  missing_data: 0,
  unavailable: 0,
  skipped: 0,
}
const parts = { text: '1 == 1', line: 1, column: 1, state: 'value', value: true } as const

function versionOf(view: object): VersionView {
  const { id: _, ...content } = { id: '', ...view }
  return {
    change: 'created',
    changed_at: '2026-11-21T07:00:00.000Z',
    changed_by: ids.token,
    version_id: ids.version,
    ...content,
    created_at: '2026-11-21T07:00:00.000Z',
    created_by: ids.token,
    current: true,
  }
}

const app: AppView = {
  app_id: appId,
  name: 'Shop',
  settings: usualAppSettings,
  registered_at: '2026-11-21T09:30:00.000Z',
}

export const signingKey = {
  kid: '01h455vb4pex5vsknk084sn02q',
  public_key: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
  status: 'signs',
  added_at: '2026-11-21T09:30:00.000Z',
} as const

const user = {
  id: 'usr_01h455vb4pex5vsknk084sn02q',
  identifiers: [{ type: 'email_address', value: 'ann@example.com' }],
  created_at: '2026-11-21T09:30:00.000Z',
}

const startedSession = {
  session: {
    id: 'ses_01h455vb4pex5vsknk084sn02q',
    device_type: 'IOS',
    device_model: 'iPhone',
    os_version: '17.1',
    country_code: 'FR',
    created_at: '2026-11-21T09:30:00.000Z',
    last_seen_at: '2026-11-21T09:30:00.000Z',
    expires_at: '2026-12-21T09:30:00.000Z',
  },
  refresh_token: 'vgr_01h455vb4pex5vsknk084sn02q_secret_tag',
  refresh_token_expires_at: '2026-12-21T09:30:00.000Z',
  access_token: 'header.payload.signature',
  expires_at: 1_795_253_400,
}

const scopeGrant = {
  scope: 'prld:pwd:write',
  granted_at: '2026-11-21T09:30:00.000Z',
  expires_at: '2026-11-21T09:35:00.000Z',
}

const migrationConfig = {
  session_validation_url: 'https://api.example.com/session/validate',
  created_at: '2026-11-21T09:30:00.000Z',
  updated_at: '2026-11-21T09:30:00.000Z',
}

const erasure = {
  id: ids.erasure,
  kind: 'phone_number',
  requested_by: ids.token,
  requested_at: '2026-11-21T09:30:00.000Z',
  erased_at: '2026-11-21T09:30:01.000Z',
  keys: 3,
  evaluations: 2,
  dispatches: 1,
  users: 1,
  position: '9',
  erasures: ['7', '8'],
} as const

const retention = { evaluations_days: 400, evaluations_erased: 2, keys_destroyed: 3 }

const base: Omit<Service, 'context'> = {
  authenticate: async (token) => {
    if (token === operatorToken) return { kind: 'operator' }
    const [, number] = /^of:(\d+)$/.exec(token) ?? []
    if (number !== undefined) {
      const accountId = accountNumber(Number(number))
      return { kind: 'account', accountId, tokenId: ids.token, scopes }
    }
    if (!token.startsWith('with:')) {
      throw new Failure('invalid_api_token', 'The API token is not valid.')
    }
    const granted = scopes.filter((scope) => token.slice(5).split(',').includes(scope))
    return { kind: 'account', accountId: ids.account, tokenId: ids.token, scopes: granted }
  },
  authenticateFrontEnd: async (key) => {
    if (key !== sdkKey) throw new Failure('invalid_sdk_key', 'The SDK key is not valid.')
    return { kind: 'front_end', accountId: ids.account, keyId: ids.sdkKey }
  },
  changeRulebook: async () => ({
    value: {
      lists: [],
      rules: [{ id: ids.rule, version_id: ids.version, changed: true }],
      recipes: [],
      flows: [],
    },
    position: 4,
    visible: true,
  }),
  apps: {
    register: async () => ({ value: app, position: 8, visible: true }),
    list: async () => ({ value: { items: [app], nextCursor: 'next' }, position: 7 }),
    get: async () => ({ value: app, position: 7 }),
    configure: async () => ({ value: app, position: 9, visible: true }),
    retire: async () => ({ value: undefined, position: 10, visible: true }),
  },
  findServedApp: async () => undefined,
  peekServedApp: () => undefined,
  authenticateUser: async () => {
    throw new Failure('invalid_api_token', 'wrong')
  },
  ownSessions: {
    list: async (_user, asked) => ({ sessions: [], total: 0, ...asked }),
    revoke: async () => ({ value: undefined, position: 9, visible: true }),
  },
  users: {
    create: async () => ({ value: user, position: 8, visible: true }),
    list: async () => ({ value: { items: [user], nextCursor: 'next' }, position: 7 }),
    get: async () => ({ value: user, position: 7 }),
    remove: async () => ({ value: undefined, position: 10, visible: true }),
  },
  passwords: {
    set: async () => ({ value: undefined, position: 9, visible: true }),
    check: async () => ({ valid: true }),
    changeOwn: async () => ({ value: undefined, position: 9, visible: true }),
  },
  userSessions: {
    start: async () => ({ value: startedSession, position: 8, visible: true }),
    list: async () => ({ value: { items: [startedSession.session] }, position: 7 }),
    revoke: async () => ({ value: undefined, position: 9, visible: true }),
    revokeAll: async () => ({ value: undefined, position: 9, visible: true }),
    grant: async () => ({ value: scopeGrant, position: 8, visible: true }),
  },
  signingKeys: {
    list: async () => ({ value: [signingKey], position: 7 }),
    rotate: async () => ({ value: signingKey, position: 8, visible: true }),
    retire: async () => ({ value: undefined, position: 9, visible: true }),
  },
  refresh: {
    exchange: async () => ({
      access: { access_token: 'an access token', expires_at: 1_760_000_600 },
      refreshToken: 'a refresh token',
      refreshExpiresAt: 1_762_592_000_000,
      dpopNonce: 'a nonce',
    }),
    revoke: async () => undefined,
  },
  migrateSession: async () => startedSession,
  migrationConfig: {
    get: async () => ({ value: migrationConfig, position: 7 }),
    set: async () => ({ value: migrationConfig, position: 8, visible: true }),
    remove: async () => ({ value: undefined, position: 9, visible: true }),
  },
  managed: {
    rules: resource({
      id: ids.rule,
      version_id: ids.version,
      name: 'block list',
      description: 'On the list.',
      expression: 'list.block',
      parameters: [],
    }),
    recipes: resource({
      id: ids.recipe,
      version_id: ids.version,
      description: 'Signs.',
      threshold: 50,
      threshold_bounds: { min: 10, max: 90 },
      parameters: [],
      rules: [],
    }),
    offeredRules: async () => ({
      value: { items: [{ id: ids.rule, type: 'MANAGED', description: 'On the list.' }] },
      position: 7,
    }),
    offeredRecipes: async () => ({ value: { items: [] }, position: 7 }),
  },
  rules: resource({
    id: ids.rule,
    version_id: ids.version,
    name: 'large cart',
    expression: 'int(signal.ext.cart) > 100',
  }),
  recipes: resource({
    id: ids.recipe,
    version_id: ids.version,
    name: 'signup',
    status: 'LIVE',
    threshold: 50,
    rules: [],
  }),
  flows: resource({ id: ids.flow, version_id: ids.version, name: 'signup', recipes: [ids.recipe] }),
  listSignals: async () => [
    {
      name: 'signal.ip',
      type: 'string',
      meaning: 'm',
      sources: ['dispatch'],
      needs_dispatch: true,
    },
  ],
  findRuleUsage: async () => ({
    value: {
      rule_id: ids.rule,
      recipe_count: 0,
      recipes: [],
      flow_count: 0,
      flows: [],
      evaluations: { ...counts, from: '2026-11-15', to: '2026-11-21', days: [], truncated: false },
    },
    position: 7,
  }),
  testRule: async () => ({
    outcome: 'TRIGGERED',
    expression: '1 == 1',
    reads: [],
    parts,
    not_counted: [],
  }),
  testFlow: async () => ({
    flow_id: ids.flow,
    flow_name: 'Signup',
    verdict: 'PASS',
    recipes: [],
    shadow_recipes: [],
    evidence: [],
    not_counted: [],
    explanation: [],
    semantics_version: 1,
  }),
  evaluateFlow: async () => ({ value: JSON.stringify(evaluation), position: 6, visible: true }),
  predict: async (call) => ({
    value: { id: ids.evaluation, prediction: 'suspicious', request_id: call.requestId },
    position: 6,
    visible: true,
  }),
  predictionFlow: {
    get: async () => ({ flow_id: ids.flow }),
    set: async (_call, input) => ({ value: input, position: 6, visible: true }),
    clear: async () => ({ value: undefined, position: 6, visible: true }),
  },
  findEvaluation: async (_call, _id, detail) => ({
    ...evaluation,
    flow_id: ids.flow,
    flow_version_id: ids.version,
    evaluated_at: '2026-11-21T07:00:00.000Z',
    shadow_recipes: [],
    dispatch: 'none',
    evidence: [{ name: 'signal.ext.cart', value: '120', source: 'request' }],
    not_counted: [
      { name: 'signal.ip', value: '192.0.2.1', source: 'request', reason: 'needs_dispatch' },
    ],
    explanation: evaluation.recipes.map((recipe) => ({
      ...recipe,
      status: 'LIVE' as const,
      rules: recipe.rules.map((rule) => ({
        ...rule,
        expression: '1 == 1',
        ...(detail === 'expressions' && { parts }),
      })),
    })),
    plan: { digest: 'd', recipes: [] },
    semantics_version: 1,
    result_hash: 'h',
    position: '6',
    as_of: '5',
  }),
  listEvaluations: async () => ({ value: { items: [], nextAfter: '7' }, position: 7 }),
  searchEvaluations: async () => ({ value: { items: [] }, position: 7 }),
  compareRecipes: async () => ({
    value: {
      recipe_id: ids.recipe,
      with: ids.recipe,
      from: '2026-11-14T00:00:00.000Z',
      to: '2026-11-21T00:00:00.000Z',
      scanned: 0,
      agreements: 0,
      differences: 0,
      outcomes: [],
      truncated: false,
    },
    position: 7,
  }),
  replayEvaluation: async () => ({ result: 'MATCH', differences: [] }),
  erasures: {
    erase: async () => ({ value: erasure, position: 9, visible: true }),
    get: async () => erasure,
  },
  retention: {
    get: async () => retention,
    set: async () => ({ value: retention, position: 9, visible: true }),
    end: async () => ({ value: retention, position: 9, visible: true }),
  },
  listLosses: async () => [
    {
      lost: 'events',
      accepted_at: '2026-11-21T07:00:00.000Z',
      position: '173',
      kept_position: '50',
      first_position: '51',
      last_position: '172',
    },
  ],
  close: async () => {},
}

/** The fake, with some of its functions replaced. */
export function fakeService(replaced: Partial<Service> = {}): Service {
  const context = memoryContext({ account: ids.account, sdkKey: ids.sdkKey })
  return { ...base, context, ...replaced }
}
