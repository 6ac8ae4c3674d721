/** One event of every type there is, and a keyring whose every answer can be repeated. */

import { createHash } from 'node:crypto'
import type { VigilEvent } from '../../src/events/catalogue.ts'
import type { EventContext } from '../../src/events/recording/event.ts'
import { type OpenKeyring, openKeyring } from '../../src/stores/keys/keyring.ts'
import { memoryKeyStore } from '../support/memoryKeyStore.ts'

type Sample<Type extends VigilEvent['type']> = Extract<VigilEvent, { type: Type }>['data']

export const context: EventContext = {
  account: 'acc_01h455vb4pex5vsknk084sn02q',
  actor: 'tok_01h455vb4pex5vsknk084sn02q',
  request: '018b0a5d-ac96-774b-bcce-b302099a8057',
  command: '01890a5d-ac96-774b-bcce-b302099a8057',
  digest: 'b1ZlcnkgbXVjaCBhIGRpZ2VzdCBvZiB0aGUgcmVxdWVz',
  causation: 'evl_01h455vb4pex5vsknk084sn02q',
  time: 1_700_000_000_000,
}

/** Everything in the samples that may not stand in the log in clear. */
export const personalTexts = [
  '+12133734253',
  'ann@example.com',
  '203.0.113.9',
  '198.51.100.23',
  'device-of-ann',
  'Ann’s iPhone',
  'Ann’s charge',
  'a3bb189e-8bf9-4888-9912-ace4e6543002',
  '1200',
  'order-of-ann-17',
  'customer-ann-42',
  '$argon2id$',
]

const read = { kind: 'read', name: 'signal.ext.cart_total', convert: 'int', at: [1, 5] } as const
const number = { kind: 'literal', type: 'int', value: 1000, at: [1, 32] } as const
const over = { kind: 'call', operator: '>', args: [read, number], at: [1, 30] } as const
const code = { kind: 'variable', name: 'code', at: [2, 30] } as const
const expression = {
  kind: 'call',
  operator: '||',
  at: [1, 37],
  args: [
    over,
    {
      kind: 'exists',
      variable: 'code',
      at: [2, 4],
      list: {
        kind: 'list',
        items: [{ kind: 'literal', type: 'string', value: 'FR', at: [2, 5] }],
        at: [2, 4],
      },
      body: { kind: 'has', name: 'signal.ip', at: [2, 40] },
    },
    {
      kind: 'all',
      variable: 'code',
      at: [3, 1],
      list: { kind: 'list', items: [], at: [3, 1] },
      body: { kind: 'call', operator: '!', args: [code], at: [3, 9] },
    },
  ],
} as const

const plannedRule = {
  rule_id: 'rul_01h455vb4pex5vsknk084sn02q',
  type: 'CUSTOM',
  name: 'Big cart',
  version_id: 'ver_01h455vb4pex5vsknk084sn02q',
  weight: 40,
} as const

const flowEvaluated: Sample<'FlowEvaluated'> = {
  evaluation_id: 'evl_01h455vb4pex5vsknk084sn02q',
  flow_id: 'flo_01h455vb4pex5vsknk084sn02q',
  flow_version_id: 'ver_01h455vb4pex5vsknk084sn02q',
  plan: 'cGxhbiBvZiB0aGUgZmxvdyBhcyBhIGRpZ2VzdCBvZiAz',
  semantics: 1,
  dispatch: 'found',
  phone_number: '+12133734253',
  email_address: 'ann@example.com',
  evidence: {
    dispatch_id: 'a3bb189e-8bf9-4888-9912-ace4e6543002',
    correlation_id: 'order-of-ann-17',
    sources: 'D-LR',
    values: ['203.0.113.9', false, '1200'],
    items: [['signal.device_id', 'device of ann', 'request']],
    lists: [['list.block', 172]],
    not_counted: [
      ['signal.ip', '198.51.100.23', 'request', 'dispatch_value_wins'],
      ['signal.is_trusted_user', true, 'request', 'trusted_user_not_agreed'],
      ['signals.exising_user', true, 'request', 'unknown_field'],
    ],
  },
  ip: 'a2V5ZWQgZGlnZXN0IGlwMT',
  device: 'a2V5ZWQgZGlnZXN0IGRldj',
  correlation: 'ZGlnZXN0IG9mIGNvcnJlbA',
  time: 1_700_000_000_000,
  as_of: 171,
  verdict: 'FLAG',
  recipes: [
    {
      recipe_id: 'rcp_01h455vb4pex5vsknk084sn02q',
      score: 40,
      verdict: 'FLAG',
      determined_by: 'rul_01h455vb4pex5vsknk084sn02q',
      outcomes: 'TNMUS',
      blocked_by: ['signal.device_id'],
    },
  ],
  result_hash: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  request_digest: 'b1ZlcnkgbXVjaCBhIGRpZ2VzdCBvZiB0aGUgcmVxdWVz',
}

const appSettings = {
  tokens: {
    access_seconds: 600,
    refresh_seconds: 2_592_000,
    session_days: 90,
    signing_key_days: 90,
  },
  password: { min_length: 8, max_length: 128, uppercase: 1, lowercase: 1, numbers: 1, symbols: 1 },
  allowed_origins: ['https://shop.example'],
  password_change_revokes: 'others',
} as const

const template = {
  name: 'Ada Shop',
  kind: 'psd2',
  code_size: 6,
  ttl_minutes: 10,
  max_retries: 3,
  retry_delay_seconds: 30,
  per_phone_number_limit: 5,
  sliding_window_hours: 24,
} as const

export const samples: { readonly [Type in VigilEvent['type']]: Sample<Type> } = {
  AccountOpened: { account_id: 'acc_01h455vb4pex5vsknk084sn02q', name: 'Demo' },
  AuthoringEnabled: {},
  AuthoringDisabled: {},
  ManagementEnabled: {},
  ManagementDisabled: {},
  TrustedUserAgreed: {},
  TrustedUserWithdrawn: {},
  CustomSuffixEnabled: {},
  CustomSuffixDisabled: {},
  PredictionFlowSet: { flow_id: 'flo_01h455vb4pex5vsknk084sn02q' },
  PredictionFlowCleared: {},
  ApiTokenIssued: {
    token_id: 'tok_01h455vb4pex5vsknk084sn02q',
    hash: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    scopes: ['eval', 'feedback', 'manage', 'author', 'analyse', 'audit', 'operate'],
    name: 'Shop backend',
    expires_at: 1_731_536_000_000,
  },
  ApiTokenRevoked: { token_id: 'tok_01h455vb4pex5vsknk084sn02q' },
  SdkKeyIssued: { key_id: 'sdk_01h455vb4pex5vsknk084sn02q', name: 'Web shop' },
  SdkKeyOriginsSet: {
    key_id: 'sdk_01h455vb4pex5vsknk084sn02q',
    origins: ['https://shop.example'],
  },
  SdkKeyUsed: { key_id: 'sdk_01h455vb4pex5vsknk084sn02q' },
  SdkKeyRevoked: { key_id: 'sdk_01h455vb4pex5vsknk084sn02q' },
  ApiTokenUsed: { token_id: 'tok_01h455vb4pex5vsknk084sn02q' },
  RulePublished: {
    rule_id: 'rul_01h455vb4pex5vsknk084sn02q',
    version_id: 'ver_01h455vb4pex5vsknk084sn02q',
    name: 'Big cart',
    text: 'int(signal.ext.cart_total) > 1000 || …',
    expression,
  },
  RuleRestored: {
    rule_id: 'rul_01h455vb4pex5vsknk084sn02q',
    version_id: 'ver_01h455vb4pex5vsknk084sn02q',
    name: 'Big cart',
    text: 'int(signal.ext.cart_total) > 1000 || …',
    expression,
  },
  RuleRetired: { rule_id: 'rul_01h455vb4pex5vsknk084sn02q' },
  RecipePublished: {
    recipe_id: 'rcp_01h455vb4pex5vsknk084sn02q',
    version_id: 'ver_01h455vb4pex5vsknk084sn02q',
    name: 'Signup',
    status: 'LIVE',
    threshold: 50,
    rules: [
      { rule_id: 'rul_01h455vb4pex5vsknk084sn02q', weight: 40 },
      {
        rule_id: 'rul_01h455vb4pex5vsknk084sn03q',
        weight: -10,
        preempts: 'PASS',
        version_id: 'ver_01h455vb4pex5vsknk084sn02q',
      },
    ],
    base_recipe_id: 'rcp_01h455vb4pex5vsknk084sn03q',
    parameters: { home_country: 'FR', limit: '12' },
    managed: ['rul_01h455vb4pex5vsknk084sn03q'],
  },
  RecipeRestored: {
    recipe_id: 'rcp_01h455vb4pex5vsknk084sn02q',
    version_id: 'ver_01h455vb4pex5vsknk084sn02q',
    name: 'Signup',
    status: 'SHADOW',
    threshold: 50,
    rules: [{ rule_id: 'rul_01h455vb4pex5vsknk084sn02q', weight: 40 }],
    base_recipe_id: 'rcp_01h455vb4pex5vsknk084sn03q',
    parameters: {},
    managed: ['rul_01h455vb4pex5vsknk084sn02q'],
  },
  RecipeStatusSet: { recipe_id: 'rcp_01h455vb4pex5vsknk084sn02q', status: 'SHADOW' },
  RecipeRetired: { recipe_id: 'rcp_01h455vb4pex5vsknk084sn02q' },
  FlowPublished: {
    flow_id: 'flo_01h455vb4pex5vsknk084sn02q',
    version_id: 'ver_01h455vb4pex5vsknk084sn02q',
    name: 'Signup',
    recipes: ['rcp_01h455vb4pex5vsknk084sn02q'],
  },
  FlowRestored: {
    flow_id: 'flo_01h455vb4pex5vsknk084sn02q',
    version_id: 'ver_01h455vb4pex5vsknk084sn02q',
    name: 'Signup',
    recipes: ['rcp_01h455vb4pex5vsknk084sn02q'],
  },
  FlowRetired: { flow_id: 'flo_01h455vb4pex5vsknk084sn02q' },
  ManagedRulePublished: {
    rule_id: 'rul_01h455vb4pex5vsknk084sn03q',
    version_id: 'ver_01h455vb4pex5vsknk084sn02q',
    name: 'Foreign number',
    description: 'The number is of another country.',
    text: 'phoneCountry(target.phone_number) != param.home_country',
    expression,
    parameters: [
      { name: 'home_country', type: 'STRING' },
      { name: 'limit', type: 'INT' },
    ],
    shipped: 1,
  },
  ManagedRuleRestored: {
    rule_id: 'rul_01h455vb4pex5vsknk084sn03q',
    version_id: 'ver_01h455vb4pex5vsknk084sn02q',
    name: 'Foreign number',
    description: 'The number is of another country.',
    text: 'phoneCountry(target.phone_number) != param.home_country',
    expression,
    parameters: [{ name: 'home_country', type: 'STRING' }],
  },
  ManagedRuleRetired: { rule_id: 'rul_01h455vb4pex5vsknk084sn03q' },
  ManagedRecipePublished: {
    recipe_id: 'rcp_01h455vb4pex5vsknk084sn03q',
    version_id: 'ver_01h455vb4pex5vsknk084sn02q',
    name: 'Signup',
    description: 'Signs of a throw-away account.',
    threshold: 50,
    threshold_bounds: { min: 20, max: 90 },
    parameters: [
      { name: 'limit', type: 'INT', default_value: '10', value_min: 1, value_max: 100 },
      { name: 'home_country', type: 'ENUM', default_value: 'FR', values: ['FR', 'DE'] },
    ],
    rules: [{ rule_id: 'rul_01h455vb4pex5vsknk084sn03q', weight: 40, preempts: 'FLAG' }],
    shipped: 1,
  },
  ManagedRecipeRestored: {
    recipe_id: 'rcp_01h455vb4pex5vsknk084sn03q',
    version_id: 'ver_01h455vb4pex5vsknk084sn02q',
    name: 'Signup',
    description: 'Signs of a throw-away account.',
    threshold: 50,
    threshold_bounds: { min: 20, max: 90 },
    parameters: [{ name: 'limit', type: 'INT', default_value: '10', value_min: 1 }],
    rules: [{ rule_id: 'rul_01h455vb4pex5vsknk084sn03q', weight: 40, preempts: 'FLAG' }],
  },
  ManagedRecipeRetired: { recipe_id: 'rcp_01h455vb4pex5vsknk084sn03q' },
  ManagedSetInstalled: { version: 1 },
  SubjectErased: {
    subject: 'a3VydCBpcyBub3QgYSBuYW1l',
    keys: ['a2V5IG9uZSBvZiB0d28', 'a2V5IHR3byBvZiB0d28'],
  },
  PersonErased: {
    erasure_id: 'era_01h455vb4pex5vsknk084sn02q',
    kind: 'phone_number',
    subject: 'a3VydCBpcyBub3QgYSBuYW1l',
    reason: 'Ticket 4711',
    erased_at: 1_700_000_000_000,
    keys: 3,
    evaluations: 2,
    dispatches: 1,
    users: 1,
    positions: [171, 172],
  },
  RetentionSet: { evaluations_days: 400 },
  RetentionEnded: {},
  EvidenceExpired: {
    until: { time: 1_700_000_000_000, evaluation_id: 'evl_01h455vb4pex5vsknk084sn02q' },
    evaluations: 200,
    keys: 180,
  },
  ReplayStarted: {
    replay_id: 'rpl_01h455vb4pex5vsknk084sn02q',
    at: 1_700_000_000_000,
    after: 0,
    end: 172,
    flow_id: 'flo_01h455vb4pex5vsknk084sn02q',
    from_ms: 1_690_000_000_000,
    to_ms: 1_700_000_000_000,
  },
  ReplayAdvanced: {
    replay_id: 'rpl_01h455vb4pex5vsknk084sn02q',
    at: 1_700_000_000_000,
    position: 172,
    match: 40,
    mismatch: 1,
    evidence_erased: 2,
    mismatches: [
      {
        evaluation_id: 'evl_01h455vb4pex5vsknk084sn02q',
        position: 171,
        reason: 'answer.recipes.0.score: recorded 59, recomputed 60',
      },
    ],
  },
  ReplayEnded: {
    replay_id: 'rpl_01h455vb4pex5vsknk084sn02q',
    at: 1_700_000_000_000,
    outcome: 'DONE',
  },
  LogLossAccepted: {
    kept_position: 50,
    missing: { first: 51, last: 172 },
    proven_by: ['stores.witness', 'views.db'],
  },
  KeyLossAccepted: { reason: 'no_master_key', set_aside: 'keys.db.lost-20231114T221320000Z' },
  ExpressionRecorded: { digest: 'YW4gZXhwcmVzc2lvbiBvZiBhIHJ1bGUgYW5kIGl0cyBhY2M', expression },
  PlanRulesRecorded: {
    digest: 'cnVsZXMgb2YgYSByZWNpcGUgYW5kIHRoZWlyIGFjY291bnQ',
    rules: [
      { ...plannedRule, expression: 'YW4gZXhwcmVzc2lvbiBvZiBhIHJ1bGUgYW5kIGl0cyBhY2M' },
      { ...plannedRule, type: 'MANAGED', preempts: 'FLAG' },
    ],
  },
  FlowPlanRecorded: {
    digest: 'YSBwbGFuIGluIHBhcnRzIGFuZCB0aGUgYWNjb3VudCBvZiA',
    plan: {
      flow_id: 'flo_01h455vb4pex5vsknk084sn02q',
      flow_version_id: 'ver_01h455vb4pex5vsknk084sn02q',
      semantics: 2,
      recipes: [
        {
          recipe_id: 'rcp_01h455vb4pex5vsknk084sn02q',
          version_id: 'ver_01h455vb4pex5vsknk084sn02q',
          status: 'LIVE',
          threshold: 50,
          parts: [['cnVsZXMgb2YgYSByZWNpcGUgYW5kIHRoZWlyIGFjY291bnQ', 2]],
        },
      ],
    },
  },
  FlowEvaluated: flowEvaluated,
  FeedbackReceived: {
    feedback_id: 'fbk_01h455vb4pex5vsknk084sn02q',
    type: 'verification.completed',
    target_type: 'phone_number',
    correlation: 'ZGlnZXN0IG9mIGNvcnJlbA',
    target: '+12133734253',
    context: {
      dispatch_id: 'a3bb189e-8bf9-4888-9912-ace4e6543002',
      correlation_id: 'order-of-ann-17',
      signals: {
        ip: '203.0.113.9',
        device_id: 'device-of-ann',
        device_platform: 'ios',
        device_model: 'Ann’s iPhone',
        os_version: '17.1',
        app_version: '3.2.1',
        user_agent: 'curl/8.1.2',
        ja4_fingerprint: 't13d1516h2_8daaf6152771_e5627efa2ab1',
        is_trusted_user: true,
      },
    },
  },
  EventReported: {
    event_id: 'evt_01h455vb4pex5vsknk084sn02q',
    label: 'payment.chargeback',
    confidence: 'maximum',
    target_type: 'email_address',
    target: 'ann@example.com',
  },
  ListCreated: {
    list_id: 'lst_01h455vb4pex5vsknk084sn02q',
    name: 'vip',
    kind: 'email_address',
    description: 'Whom we know',
  },
  ListChanged: { list_id: 'lst_01h455vb4pex5vsknk084sn02q', description: 'Whom we know well' },
  ListDeleted: { list_id: 'lst_01h455vb4pex5vsknk084sn02q' },
  ListEntryAdded: {
    list_id: 'lst_01h455vb4pex5vsknk084sn02q',
    kind: 'ip_range',
    value: '203.0.113.0/24',
    reason: 'Ann’s office',
    network: { version: 4, prefix: 24 },
    listed_at: 1_700_000_000_000,
    expires_at: 1_800_000_000_000,
  },
  ListEntryRemoved: {
    list_id: 'lst_01h455vb4pex5vsknk084sn02q',
    kind: 'ip_range',
    value: '203.0.113.0/24',
    reason: 'Ann moved',
    network: { version: 4, prefix: 24 },
  },
  PhoneNumberListed: {
    list: 'block',
    phone_number: '+12133734253',
    reason: 'Ann’s charge was disputed',
    listed_at: 1_700_000_000_000,
    expires_at: 1_800_000_000_000,
  },
  PhoneNumberUnlisted: {
    list: 'block',
    phone_number: '+12133734253',
    reason: 'Ann’s charge was settled',
  },
  SenderIdSubmitted: { sender_id: 'Ada Shop' },
  SenderIdApproved: { sender_id: 'Ada Shop', reason: 'The name of the shop' },
  SenderIdRejected: { sender_id: 'Ada Shop', reason: 'Registered by another company' },
  AppRegistered: {
    app_id: '54e9ujn',
    account_id: 'acc_01h455vb4pex5vsknk084sn02q',
    name: 'Shop',
    settings: appSettings,
    registered_at: 1_700_000_000_000,
  },
  AppSettingsSet: { app_id: '54e9ujn', settings: appSettings },
  SigningKeyAdded: {
    app_id: '54e9ujn',
    kid: 'b1ZlcnkgbXVjaCBhIGRpZw',
    public_key: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
    added_at: 1_700_000_000_000,
  },
  SigningKeyRetired: {
    app_id: '54e9ujn',
    kid: 'b1ZlcnkgbXVjaCBhIGRpZw',
    retired_at: 1_700_000_001_000,
  },
  MigrationConfigDeleted: { app_id: '54e9ujn' },
  MigrationConfigSet: {
    app_id: '54e9ujn',
    session_validation_url: 'https://api.example.com/session/validate',
    created_at: 1_700_000_000_000,
    updated_at: 1_700_000_001_000,
  },
  AppRetired: { app_id: '54e9ujn', retired_at: 1_700_000_002_000 },
  UserCreated: {
    user_id: 'usr_01h455vb4pex5vsknk084sn02q',
    app_id: '54e9ujn',
    account_id: 'acc_01h455vb4pex5vsknk084sn02q',
    identifiers: [
      { type: 'phone_number', value: '+12133734253' },
      { type: 'email_address', value: 'ann@example.com' },
      { type: 'customer_user_id', value: 'customer-ann-42' },
    ],
    identifier_digests: ['ZGlnZXN0IG9mIGEgbnVtYmVy', 'ZGlnZXN0IG9mIGFuIGFkZHJlc3M'],
    created_at: 1_700_000_000_000,
  },
  UserCreationAbandoned: {
    user_id: 'usr_01h455vb4pex5vsknk084sn02r',
    abandoned_at: 1_700_000_001_000,
  },
  UserNamed: {
    user_id: 'usr_01h455vb4pex5vsknk084sn02q',
    identifier_digest: 'ZGlnZXN0IG9mIGEgbmFtZQ',
    named_at: 1_700_000_001_500,
  },
  UserDeleted: { user_id: 'usr_01h455vb4pex5vsknk084sn02s', deleted_at: 1_700_000_002_000 },
  PasswordChanged: {
    user_id: 'usr_01h455vb4pex5vsknk084sn02q',
    password_id: '01890a5d-ac96-774b-bcce-b302099a8057',
    hash: '$argon2id$v=19$m=19456,t=2,p=1$c2FsdCBvZiBhbm4$aGFzaCBvZiB0aGUgcGFzc3dvcmQ',
    by: 'user',
    session_id: 'ses_01h455vb4pex5vsknk084sn02q',
    changed_at: 1_700_000_000_500,
  },
  ScopeGranted: {
    user_id: 'usr_01h455vb4pex5vsknk084sn02q',
    grant_id: '01890a5d-ac96-774b-bcce-b302099a8057',
    scope: 'prld:pwd:write',
    session_id: 'ses_01h455vb4pex5vsknk084sn02q',
    granted_at: 1_700_000_000_000,
    expires_at: 1_700_000_300_000,
  },
  ScopeUsed: {
    user_id: 'usr_01h455vb4pex5vsknk084sn02q',
    grant_id: '01890a5d-ac96-774b-bcce-b302099a8057',
    session_id: 'ses_01h455vb4pex5vsknk084sn02q',
    used_at: 1_700_000_000_500,
  },
  SessionsRevoked: {
    user_id: 'usr_01h455vb4pex5vsknk084sn02q',
    epoch: 1,
    kept_session_id: 'ses_01h455vb4pex5vsknk084sn02q',
    reason: 'password',
    revoked_at: 1_700_000_000_500,
  },
  IdentifierClaimed: {
    user_id: 'usr_01h455vb4pex5vsknk084sn02q',
    app_id: '54e9ujn',
    claimed_at: 1_700_000_000_000,
  },
  NameClaimed: {
    user_id: 'usr_01h455vb4pex5vsknk084sn02q',
    app_id: '54e9ujn',
    claimed_at: 1_700_000_000_000,
  },
  IdentifierReleased: { user_id: 'usr_01h455vb4pex5vsknk084sn02q', app_id: '54e9ujn' },
  SessionStarted: {
    session_id: 'ses_01h455vb4pex5vsknk084sn02q',
    user_id: 'usr_01h455vb4pex5vsknk084sn02q',
    app_id: '54e9ujn',
    account_id: 'acc_01h455vb4pex5vsknk084sn02q',
    epoch: 0,
    device: {
      device_type: 'IOS',
      device_model: 'Ann’s iPhone',
      os_version: '17.1',
      country_code: 'FR',
    },
    refresh_token_hash: 'aGFzaCBvZiB0aGUgZmlyc3QgcmVmcmVzaCB0b2tlbiBvZiBhbm4',
    scopes: ['prld:pwd:write'],
    started_at: 1_700_000_000_000,
    expires_at: 1_702_592_000_000,
  },
  SessionRefreshed: {
    session_id: 'ses_01h455vb4pex5vsknk084sn02q',
    user_id: 'usr_01h455vb4pex5vsknk084sn02q',
    generation: 1,
    refresh_token_hash: 'aGFzaCBvZiB0aGUgbmV4dCByZWZyZXNoIHRva2VuIG9mIGFubg',
    key_thumbprint: 'dGh1bWJwcmludCBvZiB0aGUga2V5IG9mIGFubidzIHBob25l',
    proof_id: '0f1e2d3c4b5a69788796a5b4c3d2e1f0',
    scopes: [],
    device_at: 0,
    device: {
      device_type: 'IOS',
      device_model: 'Ann’s iPhone',
      os_version: '17.2',
      country_code: 'DE',
    },
    refreshed_at: 1_700_000_600_000,
    expires_at: 1_702_592_600_000,
  },
  RefreshRepeated: {
    session_id: 'ses_01h455vb4pex5vsknk084sn02q',
    user_id: 'usr_01h455vb4pex5vsknk084sn02q',
    proof_id: 'f0e1d2c3b4a5968778695a4b3c2d1e0f',
    repeated_at: 1_700_000_601_000,
  },
  SessionRevoked: {
    session_id: 'ses_01h455vb4pex5vsknk084sn02r',
    user_id: 'usr_01h455vb4pex5vsknk084sn02q',
    reason: 'limit',
    revoked_at: 1_700_000_700_000,
  },
  TemplateCreated: { template_id: 'template_01h455vb4pex5vsknk084sn02q', ...template },
  TemplateUpdated: {
    template_id: 'template_01h455vb4pex5vsknk084sn02q',
    ...template,
    suffix: 'Ada Shop',
  },
  TemplateDeleted: { template_id: 'template_01h455vb4pex5vsknk084sn02r' },
  SignalsDispatched: {
    dispatch: 'ZGlnZXN0IG9mIGRpc3BhdG',
    signals: {
      ip: '203.0.113.9',
      device_id: 'device-of-ann',
      device_platform: 'ios',
      device_model: 'Ann’s iPhone',
      os_version: '17.1',
      app_version: '3.2.1',
      user_agent: 'curl/8.1.2',
      ja4_fingerprint: 't13d1516h2_8daaf6152771_e5627efa2ab1',
      is_trusted_user: true,
      existing_user: false,
      ext: { cart_total: '1200' },
    },
  },
}

/** A keyring over a store in memory; `seed` decides every key and nonce. */
export async function sampleKeyring(seed = 'samples'): Promise<OpenKeyring> {
  let count = 0
  const random = {
    bytes: (length: number) => {
      count += 1
      const options = { outputLength: length }
      return new Uint8Array(createHash('shake256', options).update(`${seed} ${count}`).digest())
    },
  }
  return openKeyring({
    store: memoryKeyStore(),
    masterKey: new Uint8Array(32).fill(7),
    random,
    poolSize: 16,
    firstFill: 16,
  })
}
