/** A service on a log in memory that a test can look into and break, with nobody reading its read models. */

import { randomBytes } from 'node:crypto'
import { openBackground, openServiceContext, serviceOf } from '../../../src/app/serviceContext.ts'
import { hashSecret } from '../../../src/auth/apiToken.ts'
import { openAccount, setAccess } from '../../../src/commands/accounts/accounts.ts'
import { issueToken } from '../../../src/commands/accounts/tokens.ts'
import { flowKind } from '../../../src/commands/rulebook/flows.ts'
import { installShippedSet } from '../../../src/commands/rulebook/managed/installManagedSet.ts'
import { recipeKind } from '../../../src/commands/rulebook/recipes.ts'
import { createResource } from '../../../src/commands/rulebook/resources.ts'
import { ruleKind } from '../../../src/commands/rulebook/rules.ts'
import type { Call } from '../../../src/domain/call.ts'
import type { AccountPrincipal, Scope } from '../../../src/domain/principal.ts'
import type { SharedProjections } from '../../../src/projections/running/projections.ts'
import { type OpenKeyring, openKeyring } from '../../../src/stores/keys/keyring.ts'
import type { ReadStore } from '../../../src/stores/readStore.ts'
import { type Door, openDoor } from '../../http/support/openDoor.ts'
import { type MemoryEventStore, memoryEventStore } from '../../support/memoryEventStore.ts'
import { memoryKeyStore } from '../../support/memoryKeyStore.ts'

const operatorToken = 'an-operator-token-for-these-tests-only'
const requestId = '0b1f5c0e-8a52-4c0f-9d0a-6f3f0e6e9d11'

export interface MemoryShop {
  readonly events: MemoryEventStore
  readonly keyring: OpenKeyring
  readonly door: Door
  readonly token: string
  /** Of one live recipe with one rule. */
  readonly flow: string
}

const scopes: readonly Scope[] = ['eval', 'author', 'analyse', 'audit']

/** Opens the service with an account and a flow whose only rule is the expression. */
export async function openMemoryShop(expression = '1 == 1'): Promise<MemoryShop> {
  const events = memoryEventStore()
  const chance = { bytes: (count: number) => randomBytes(count) }
  const keyring = await openKeyring({
    store: memoryKeyStore(),
    masterKey: randomBytes(32),
    chance,
  })
  const projections = {
    waitFor: async () => true,
    active: () => undefined,
  } as unknown as SharedProjections
  const clock = { nowMs: () => 1_760_000_000_000 }
  const documents = {} as ReadStore
  const context = openServiceContext({
    events,
    documents,
    keyring,
    projections,
    clock,
    chance,
    background: openBackground(() => undefined),
    operatorTokenHash: hashSecret(operatorToken),
  })
  await installShippedSet(context)
  const service = serviceOf(context, async () => undefined)
  const operator: Call<{ kind: 'operator' }> = { principal: { kind: 'operator' }, requestId }
  const { account_id } = (await openAccount(service.context, operator, { name: 'Shop' })).value
  await setAccess(service.context, operator, { account: account_id, authoring: true })
  const { token } = (await issueToken(service.context, operator, { account: account_id, scopes }))
    .value
  const call: Call = {
    principal: (await service.authenticate(token)) as AccountPrincipal,
    requestId,
  }
  const asked = { kind: ruleKind, input: { name: 'r', expression } }
  const rule = await createResource(context, call, asked)
  const recipe = await createResource(context, call, {
    kind: recipeKind,
    input: {
      name: 'c',
      status: 'LIVE',
      threshold: 50,
      rules: [{ rule_id: rule.value.id, weight: 60 }],
    },
  })
  const input = { name: 'f', recipes: [recipe.value.id] }
  const flow = await createResource(context, call, { kind: flowKind, input })
  return { events, keyring, door: await openDoor(service), token, flow: flow.value.id }
}
