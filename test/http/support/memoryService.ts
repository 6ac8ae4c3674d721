/**
 * Opens the real service over stores in memory: an account that may use everything, its tokens, and empty read models.
 */

import { randomBytes } from 'node:crypto'
import {
  buildService,
  openServiceContext,
  type Service,
  type ServiceContext,
} from '../../../src/app/serviceContext.ts'
import { hashSecret } from '../../../src/auth/apiToken.ts'
import { deriveSdkKey } from '../../../src/auth/sdkKey.ts'
import { openBackground } from '../../../src/commands/handling/background.ts'
import { managedAccountId } from '../../../src/domain/ids.ts'
import { type Scope, scopes } from '../../../src/domain/principal.ts'
import { type AccountEvent, accountStream } from '../../../src/events/accounts/account.ts'
import type { DomainEvent } from '../../../src/events/recording/event.ts'
import type { ManagedRulebookEvent } from '../../../src/events/rulebook/managedRulebook.ts'
import {
  managedStream,
  type RulebookEvent,
  rulebookStream,
} from '../../../src/events/rulebook/rulebook.ts'
import type { SharedProjections } from '../../../src/projections/running/projectionState.ts'
import { openFold } from '../../../src/queries/analysis/scan/folds.ts'
import type { SliceScanner } from '../../../src/queries/analysis/scan/scanSlice.ts'
import { compileWhere } from '../../../src/queries/analysis/scan/where.ts'
import { compileRule } from '../../../src/state/rulebook/compileRule.ts'
import type { EventStore } from '../../../src/stores/eventStore.ts'
import { openKeyring } from '../../../src/stores/keys/keyring.ts'
import type { ReadStore } from '../../../src/stores/readStore.ts'
import { memoryEventStore } from '../../support/memoryEventStore.ts'
import { memoryKeyStore } from '../../support/memoryKeyStore.ts'

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
  replay: `rpl_${letters('p')}`,
  backtest: `bkt_${letters('k')}`,
  search: `sch_${letters('n')}`,
}

const random = { bytes: (count: number) => randomBytes(count) }

/** Of every service here. */
const keyring = await openKeyring({ store: memoryKeyStore(), masterKey: randomBytes(32), random })

/** The one SDK key of the account. */
export const sdkKey = deriveSdkKey({ accountId: ids.account, keyId: ids.sdkKey }, keyring.digest)
export const appId = '54e9ujn'
export const kid = '01h455vb4pex5vsknk084sn02q'

/** The scopes of the tokens that each account here has. */
const granted: readonly (readonly Scope[])[] = [
  scopes,
  [],
  ...scopes.map((scope) => [scope]),
  ['eval', 'author'],
  ['manage', 'audit'],
  ['author', 'analyse'],
  ['analyse', 'feedback'],
]
const secret = 's'.repeat(43)
const tokenId = (number: number) => (number === 0 ? ids.token : `tok_${countedId(number)}`)
const tokenText = (account: string, number: number) =>
  `vgl_${account.slice(4)}_${tokenId(number).slice(4)}_${secret}`
const countedId = (number: number) => String(number).padStart(26, '0')

/** The token of the account with these scopes. */
export function tokenWith(...wanted: readonly Scope[]): string {
  const number = granted.findIndex((one) => one.join() === wanted.join())
  if (number < 0) throw new Error(`no token has the scopes ${wanted.join()}`)
  return tokenText(ids.account, number)
}

export const everyScope = tokenWith(...scopes)

/** The id of one of the other accounts, and its token with every scope; see `memoryService`. */
export const accountNumber = (number: number) => `acc_${countedId(number)}`
export const ofAccount = (number: number) => tokenText(accountNumber(number), 0)

const documents = {
  get: async () => undefined,
  load: async () => [],
  find: async () => [],
  checkpoints: async () => [],
} as unknown as ReadStore

const projections = {
  active: () => 1,
  passed: () => 7,
  position: () => 7,
  waitFor: async () => true,
  progress: () => [],
  leaseStatus: () => ({ isOwner: true, isRunning: true }),
} as unknown as SharedProjections

/** Finds nothing, as there are no evaluations. */
const scanSlice: SliceScanner = async ({ fold, where, fromMs }) => ({
  ...{ folded: openFold(fold, compileWhere(where), {} as never).take(), scanned: 0, matched: 0 },
  ...{ reachedMs: fromMs, end: 7 },
})

interface Wanted {
  /** The log; a new one unless given. */
  readonly events?: EventStore
  /** Accounts beside `ids.account`, which are like it; see `accountNumber`. */
  readonly others?: number
  /** What the rule of the flow says; always true unless given. */
  readonly expression?: string
}

/** A service of its own, whose account has the flow `ids.flow`, which flags whatever its rule is true for. */
export function memoryService(wanted: Wanted = {}): Service {
  const { events = memoryEventStore(), others = 0, expression = '1 == 1' } = wanted
  const clock = { nowMs: Date.now }
  const context = openServiceContext({
    events,
    documents,
    keyring,
    projections,
    clock,
    random,
    scanSlice,
    background: openBackground(() => undefined),
    operatorTokenHash: hashSecret(operatorToken),
  })
  const installed: readonly ManagedRulebookEvent[] = [
    { type: 'ManagedSetInstalled', data: { version: 1 } },
  ]
  appendNow(context, managedStream, { account: managedAccountId, events: installed })
  openShop(context, ids.account, expression)
  for (let number = 0; number < others; number += 1) {
    openShop(context, accountNumber(number), expression)
  }
  // as an opened service has it, before any request
  void context.managed.catchUp(managedStream)
  return buildService(context, async () => undefined)
}

/** The service with some of its context replaced. */
export function withContext(service: Service, replaced: Partial<ServiceContext>): Service {
  return {
    ...service,
    context: { ...service.context, ...replaced },
  }
}

/** A service in which something is awaited before each evaluation of an account is recorded. */
export function slowToRecord(
  beforeRecording: (account: string) => Promise<unknown>,
  service = memoryService(),
): Service {
  const { events } = service.context
  const append: typeof events.append = async (one) => {
    if (one.stream.startsWith('evaluation-')) {
      const { account } = JSON.parse(one.events[0]?.metadata ?? '') as { readonly account: string }
      await beforeRecording(account)
    }
    return events.append(one)
  }
  return withContext(service, { events: { ...events, append } })
}

/** Opens the account, with its tokens, the key of its front ends and its flow. */
function openShop(context: ServiceContext, account: string, text: string): void {
  const hash = hashSecret(secret)
  const opened: readonly AccountEvent[] = [
    { type: 'AccountOpened', data: { account_id: account, name: 'Shop' } },
    { type: 'AuthoringEnabled', data: {} },
    { type: 'ManagementEnabled', data: {} },
    { type: 'SdkKeyIssued', data: { key_id: ids.sdkKey } },
    ...granted.map((scopes, number) => ({
      type: 'ApiTokenIssued' as const,
      data: { token_id: tokenId(number), hash, scopes },
    })),
  ]
  appendNow(context, accountStream(account), { account, events: opened })
  const written = { name: 'Signup', text, expression: compileRule(text) }
  const { rule, recipe, flow } = ids
  const rules = [{ rule_id: rule, weight: 60 }]
  const scored = { name: 'Signup', status: 'LIVE', threshold: 50, rules } as const
  const authored: readonly RulebookEvent[] = [
    { type: 'RulePublished', data: { rule_id: rule, version_id: 'ver_1', ...written } },
    { type: 'RecipePublished', data: { recipe_id: recipe, version_id: 'ver_2', ...scored } },
    {
      type: 'FlowPublished',
      data: { flow_id: flow, version_id: 'ver_3', name: 'Signup', recipes: [recipe] },
    },
  ]
  appendNow(context, rulebookStream(account), { account, events: authored })
}

interface Seeded {
  readonly account: string
  readonly events: readonly DomainEvent[]
}

/** In the log before anybody can ask: a store in memory appends at once. */
function appendNow(context: ServiceContext, stream: string, { account, events }: Seeded): void {
  const command = '0198c7d2-5d3a-7000-8000-000000000001'
  const origin = { account, actor: 'operator', request: '', time: Date.now(), command }
  void context.events.append({
    stream,
    events: context.encode(events, origin),
    expected: 'no_stream',
  })
}
