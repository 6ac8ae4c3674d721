/** A service whose every function answers something plausible at once, and can be replaced one by one; its context is real, over stores in memory. */

import { sdkKeyText } from '../../../src/auth/sdkKey.ts'
import { Failure } from '../../../src/domain/failure.ts'
import { type Scope, scopes } from '../../../src/domain/principal.ts'
import type { ImportAnswer } from '../../../src/service/lists/listsPart.ts'
import { openSessionsContext } from '../../../src/service/opening/openSessionsContext.ts'
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

const counts = {
  count: 1,
  triggered: 1,
  not_triggered: 0,
  missing_data: 0,
  unavailable: 0,
  skipped: 0,
}
const parts = { text: '1 == 1', line: 1, column: 1, state: 'value', value: true } as const

const listedNumber = { value: '+33612345678', created_at: '2026-11-21T09:30:00.000Z' }
const namedList = { id: ids.list, name: 'vip', kind: 'phone_number' } as const
const numberChange = {
  change: 'added',
  at: '2026-11-21T09:30:00.000Z',
  by: ids.token,
  position: '6',
} as const

export const signingKey = {
  kid: '01h455vb4pex5vsknk084sn02q',
  public_key: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
  status: 'signs',
  added_at: '2026-11-21T09:30:00.000Z',
} as const

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

async function* importAnswers(): AsyncGenerator<readonly ImportAnswer[]> {
  yield [{ result: 'done', added: 0, changed: 0, unchanged: 0, refused: 0 }]
}

async function* onePage<Item>(items: readonly Item[]): AsyncGenerator<readonly Item[]> {
  yield items
}

const base: Omit<Service, 'context' | 'sessionsContext'> = {
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
  lists: {
    create: async () => ({ value: namedList, position: 6, visible: true }),
    change: async () => ({ value: namedList, position: 7, visible: true }),
    remove: async () => ({ value: undefined, position: 8, visible: true }),
    get: async () => ({ value: namedList, position: 7 }),
    list: async () => ({ value: { items: [namedList], nextCursor: 'next' }, position: 7 }),
  },
  entries: {
    add: async (_call, { value }) => ({ value: { value }, position: 6, visible: true }),
    remove: async (_call, { value }) => ({ value: { value }, position: 7, visible: true }),
    list: async () => ({ value: { items: [listedNumber], nextCursor: 'next' }, position: 7 }),
    listAll: async () => ({ value: onePage([listedNumber]), position: 7 }),
    importEntries: async () => importAnswers(),
    history: async () => ({ value: { items: [numberChange] }, position: 7 }),
  },
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
export function fakeService(
  replaced: Partial<Service> = {},
  inContext: Partial<Service['context']> = {},
): Service {
  const context = {
    ...memoryContext({ account: ids.account, sdkKey: ids.sdkKey }),
    ...inContext,
  }
  const sessionsContext = openSessionsContext(context, {})
  return { ...base, context, sessionsContext, ...replaced }
}
