import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { hashSecret } from '../../src/auth/apiToken.ts'
import type { Call } from '../../src/domain/call.ts'
import { Failure } from '../../src/domain/failure.ts'
import type { AccountPrincipal } from '../../src/domain/principal.ts'
import type { Projections } from '../../src/projections/running/projections.ts'
import { openServiceContext } from '../../src/service/opening/serviceContext.ts'
import { openManagedSet } from '../../src/service/rulebook/managedSet.ts'
import { joinService } from '../../src/service.ts'
import { openKeyring } from '../../src/stores/keyring.ts'
import type { ReadStore } from '../../src/stores/readStore.ts'
import { type Door, openDoor } from '../http/support/openDoor.ts'
import { type MemoryEventStore, memoryEventStore } from '../support/memoryEventStore.ts'
import { memoryKeyStore } from '../support/memoryKeyStore.ts'

const operatorToken = 'an-operator-token-for-these-tests-only'
const requestId = '0b1f5c0e-8a52-4c0f-9d0a-6f3f0e6e9d11'

interface Shop {
  readonly events: MemoryEventStore
  readonly door: Door
  readonly token: string
  readonly flow: string
}

/** A service on a log that a test can break, with nobody reading its read models. */
async function openShop(): Promise<Shop> {
  const events = memoryEventStore()
  const chance = { bytes: (count: number) => randomBytes(count) }
  const keyring = await openKeyring({
    store: memoryKeyStore(),
    masterKey: randomBytes(32),
    chance,
  })
  const projections = { waitFor: async () => true } as unknown as Projections
  const clock = { nowMs: () => 1_760_000_000_000 }
  const documents = {} as ReadStore
  const context = openServiceContext({ events, documents, keyring, projections, clock, chance })
  await openManagedSet(context)
  const operatorTokenHash = hashSecret(operatorToken)
  const service = joinService({ context, operatorTokenHash, close: async () => undefined })
  const operator: Call<{ kind: 'operator' }> = { principal: { kind: 'operator' }, requestId }
  const { account_id } = (await service.accounts.open(operator, { name: 'Shop' })).value
  await service.accounts.setAccess(operator, account_id, { authoring: true })
  const scopes = ['eval', 'author', 'analyse'] as const
  const { token } = (await service.accounts.issueToken(operator, account_id, { scopes })).value
  const call: Call = {
    principal: (await service.authenticate(token)) as AccountPrincipal,
    requestId,
  }
  const rule = await service.rules.create(call, { name: 'r', expression: '1 == 1' })
  const recipe = await service.recipes.create(call, {
    name: 'c',
    status: 'LIVE',
    threshold: 50,
    rules: [{ rule_id: rule.value.id, weight: 60 }],
  })
  const flow = await service.flows.create(call, { name: 'f', recipes: [recipe.value.id] })
  return { events, door: await openDoor(service), token, flow: flow.value.id }
}

const evaluate = ({ door, token, flow }: Shop, headers: Record<string, string> = {}) =>
  door.request('POST', '/v2/watch/eval', {
    token,
    headers,
    body: { flow_id: flow, target: { phone_number: '+33612345678' } },
  })

test('a verdict that cannot be recorded is not given: 503, with when to come again', async () => {
  const shop = await openShop()
  shop.events.before = () => {
    throw new Failure('unavailable', 'The disk is full.', { retryAfterSeconds: 1 })
  }

  const refused = await evaluate(shop)

  expect([refused.status, refused.body['code']]).toEqual([503, 'unavailable'])
  expect(refused.headers['retry-after']).toBe('1')
  expect(refused.text).not.toContain('verdict')
  expect(shop.events.log.filter(({ type }) => type === 'FlowEvaluated')).toEqual([])
  await shop.door.close()
})

test('once the log can be written again verdicts are given again', async () => {
  const shop = await openShop()
  shop.events.before = () => {
    throw new Failure('unavailable', 'The disk is full.', { retryAfterSeconds: 1 })
  }
  await evaluate(shop)
  shop.events.before = undefined

  expect((await evaluate(shop)).status).toBe(200)
  await shop.door.close()
})

test('an answer of the log that got lost is asked for again, and the verdict is recorded once', async () => {
  const shop = await openShop()
  await evaluate(shop)
  shop.events.after = () => {
    shop.events.after = undefined
    throw new Failure('unavailable', 'The answer got lost.')
  }

  const answer = await evaluate(shop)

  const recorded = shop.events.log.filter(({ type }) => type === 'FlowEvaluated')
  expect(answer.status).toBe(200)
  expect(recorded).toHaveLength(2)
  expect(recorded.at(-1)?.stream).toBe(`evaluation-${answer.body['id']}`)
  await shop.door.close()
})

test('a repeated request is answered from the record also when the record was another’s work', async () => {
  const shop = await openShop()
  const headers = { 'idempotency-key': 'order-1' }
  const first = await evaluate(shop, headers)

  const again = await evaluate(shop, headers)

  expect(again.text).toBe(first.text)
  expect(shop.events.log.filter(({ type }) => type === 'FlowEvaluated')).toHaveLength(1)
  await shop.door.close()
})
