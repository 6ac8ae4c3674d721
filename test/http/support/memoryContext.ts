/** The context of commands and queries over stores in memory: an account that may use everything, and empty read models. */

import { randomBytes } from 'node:crypto'
import {
  openBackground,
  openServiceContext,
  type ServiceContext,
} from '../../../src/app/serviceContext.ts'
import { compileRule } from '../../../src/commands/rulebook/compileRule.ts'
import { managedAccount } from '../../../src/domain/ids.ts'
import type { AccountEvent } from '../../../src/events/accounts/account.ts'
import { accountStream } from '../../../src/events/accounts/account.ts'
import type { DomainEvent } from '../../../src/events/recording/event.ts'
import type { ManagedEvent } from '../../../src/events/rulebook/managedRulebook.ts'
import {
  managedStream,
  type RulebookEvent,
  rulebookStream,
} from '../../../src/events/rulebook/rulebook.ts'
import type { SharedProjections } from '../../../src/projections/running/projections.ts'
import { openKeyring } from '../../../src/stores/keys/keyring.ts'
import type { ReadStore } from '../../../src/stores/readStore.ts'
import { memoryEventStore } from '../../support/memoryEventStore.ts'
import { memoryKeyStore } from '../../support/memoryKeyStore.ts'

const chance = { bytes: (count: number) => randomBytes(count) }

/** Of every context here. */
export const keyring = await openKeyring({
  store: memoryKeyStore(),
  masterKey: randomBytes(32),
  chance,
})

const documents = {
  get: async () => undefined,
  find: async () => [],
  checkpoints: async () => [],
} as unknown as ReadStore

const projections = {
  active: () => 1,
  position: () => 7,
  waitFor: async () => true,
  progress: () => [],
  holding: () => ({ held: true, heard: true }),
} as unknown as SharedProjections

interface Seed {
  readonly account: string
  readonly sdkKey: string
  /** Of one flow that flags whatever arrives. */
  readonly rule: string
  readonly recipe: string
  readonly flow: string
}

/** A context of its own, in which there is the account with the key of its front ends. */
export function memoryContext(seed: Seed): ServiceContext {
  const events = memoryEventStore()
  const clock = { nowMs: Date.now }
  const context = openServiceContext({
    events,
    documents,
    keyring,
    projections,
    clock,
    chance,
    background: openBackground(() => undefined),
  })
  const installed: readonly ManagedEvent[] = [{ type: 'ManagedSetInstalled', data: { version: 1 } }]
  appendNow(context, managedStream, { account: managedAccount, events: installed })
  seedAccount(context, seed)
  // as an opened service has it, before any request
  void context.managed.catchUp(managedStream)
  return context
}

/** Opens the account, with the key of its front ends and its flow. */
export function seedAccount(
  context: ServiceContext,
  { account, sdkKey, rule, recipe, flow }: Seed,
): void {
  const opened: readonly AccountEvent[] = [
    { type: 'AccountOpened', data: { account_id: account, name: 'Shop' } },
    { type: 'AuthoringEnabled', data: {} },
    { type: 'ManagementEnabled', data: {} },
    { type: 'SdkKeyIssued', data: { key_id: sdkKey } },
  ]
  appendNow(context, accountStream(account), { account, events: opened })
  const text = '1 == 1'
  const written = { name: 'Signup', text, expression: compileRule(text) }
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
