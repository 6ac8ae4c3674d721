/** The context of commands and queries over stores in memory: an account that may use everything, and empty read models. */

import { randomBytes } from 'node:crypto'
import { managedAccount } from '../../../src/domain/managedAccount.ts'
import type { AccountEvent } from '../../../src/events/accounts/account.ts'
import { type ManagedEvent, managedStream } from '../../../src/events/rulebook/managedRulebook.ts'
import type { SharedProjections } from '../../../src/projections/running/projections.ts'
import {
  accountStream,
  openBackground,
  openServiceContext,
  type ServiceContext,
} from '../../../src/service/opening/serviceContext.ts'
import { openKeyring } from '../../../src/stores/keyring.ts'
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
}

/** A context of its own, in which there is the account with the key of its front ends. */
export function memoryContext({ account, sdkKey }: Seed): ServiceContext {
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
  const opened: readonly AccountEvent[] = [
    { type: 'AccountOpened', data: { account_id: account, name: 'Shop' } },
    { type: 'AuthoringEnabled', data: {} },
    { type: 'ManagementEnabled', data: {} },
    { type: 'SdkKeyIssued', data: { key_id: sdkKey } },
  ]
  const command = '0198c7d2-5d3a-7000-8000-000000000001'
  const origin = { account, actor: 'operator', request: '', time: clock.nowMs(), command }
  const installed: readonly ManagedEvent[] = [{ type: 'ManagedSetInstalled', data: { version: 1 } }]
  // in the log before anybody can ask: a store in memory appends at once
  void events.append({
    stream: managedStream,
    events: context.encode(installed, { ...origin, account: managedAccount }),
    expected: 'no_stream',
  })
  void events.append({
    stream: accountStream(account),
    events: context.encode(opened, origin),
    expected: 'no_stream',
  })
  return context
}
