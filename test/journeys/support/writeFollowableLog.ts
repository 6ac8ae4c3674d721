/** The log of a shop with a bit of everything that can be listed, one kind after the other over and over. */

import { installManagedSet } from '../../../src/commands/rulebook/managed/installManagedSet.ts'
import type { RecordedEvent } from '../../../src/stores/eventStore.ts'
import type { PooledKeyring } from '../../../src/stores/keys/keyring.ts'
import { openDoor } from '../../http/support/openDoor.ts'
import { type Customer, openCustomer, operatorToken, sendAs } from '../../support/openVigil.ts'
import { type Draw, openSteppedService } from '../../support/steppedService.ts'

const start = Date.UTC(2026, 10, 21, 9, 0)
const number = '+33612345678'
const otherNumber = '+33612345679'
const target = { type: 'phone_number', value: number }
const rounds = [1, 2, 3, 4, 5, 6]
const bounds = { min: 20, max: 80 }

const authoring = '/v2/watch/management'
const management = '/v2/verification/management'
const managed = '/v2/operator/managed'

/** What is asked for by its id. */
interface Ids {
  readonly rule: string
  readonly recipe: string
  readonly otherRecipe: string
  readonly flow: string
  readonly list: string
  readonly managedRule: string
  readonly managedRecipe: string
  readonly app: string
  readonly user: string
}

export interface FollowableLog {
  readonly log: readonly RecordedEvent[]
  /** How many events there are at the beginning, so that everything is there that is asked for by its id. */
  readonly opened: number
  readonly shop: Pick<Customer, 'accountId' | 'token'>
  readonly number: string
  readonly rounds: readonly number[]
  readonly ids: Ids
  /** When all of it had been recorded. */
  readonly endMs: number
}

/** Writes it through the interface. The clocks of instances differ: by its time a later event may be an earlier one. */
export async function writeFollowableLog(
  keyring: PooledKeyring,
  draw: Draw,
): Promise<FollowableLog> {
  const log: RecordedEvent[] = []
  let nowMs = start
  const world = await openSteppedService({ keyring, clock: { nowMs: () => nowMs }, recorded: log })
  world.store.after = () => world.catchUp()
  await installManagedSet(world.context)
  const door = await openDoor(world.service)
  const shop = await openCustomer({ door })
  const sending =
    (send: Customer['send'], method: string) => async (path: string, body: object) => {
      nowMs = start + 1_000 * log.length + Math.floor(draw() * 20_000)
      const answer = await send(method, path, body)
      if (answer.status > 299) throw new Error(`${path}: ${answer.text}`)
      return String(answer.body?.['id'] ?? answer.body?.['app_id'])
    }
  const operate = sendAs({ door }, operatorToken)
  const writer = {
    post: sending(shop.send, 'POST'),
    put: sending(shop.send, 'PUT'),
    operatorPost: sending(operate, 'POST'),
    operatorPut: sending(operate, 'PUT'),
  }
  let ids: Ids | undefined
  let opened = 0
  for (const round of rounds) {
    ids = await writeRound(writer, round, ids)
    opened ||= log.length
  }
  await door.close()
  if (!ids) throw new Error('nothing was written')
  const endMs = start + 1_000 * log.length + 20_000
  return { log, opened, shop, number, rounds, ids, endMs }
}

type Write = (path: string, body: object) => Promise<string>
type Writer = Readonly<Record<'post' | 'put' | 'operatorPost' | 'operatorPut', Write>>

async function writeRound(writer: Writer, round: number, known: Ids | undefined): Promise<Ids> {
  const made = await writeMade(writer, round)
  const { post, operatorPost } = writer
  const app = known?.app ?? made.app
  const newUser = await post(`/v2/session/apps/${app}/users`, {
    identifiers: [{ type: 'customer_user_id', value: `user ${round}` }],
  })
  const ids: Ids = known ?? { ...made, app, user: newUser }
  await post(`/v2/session/apps/${app}/users/${ids.user}/sessions`, {})
  const entries = `${authoring}/lists/${ids.list}/entries`
  const block = `${management}/phone-numbers/block`
  await post(entries, { value: `value ${round}` })
  await post(entries, { value: 'value 1', reason: `${round}` })
  await post(block, { phone_number: `+3361234567${round}` })
  await post(block, { phone_number: '+33612345671', reason: `${round}` })
  await post('/v2/watch/feedback', { feedbacks: [{ target, type: 'verification.started' }] })
  await post('/v2/watch/event', {
    events: [{ target, label: 'account.banned', confidence: 'high' }],
  })
  for (const phone_number of [number, otherNumber, number]) {
    await post('/v2/watch/eval', { flow_id: ids.flow, target: { phone_number } })
  }
  await operatorPost('/v2/operator/accounts', { name: `account ${round}` })
  await writeVersions(writer, round, ids)
  return ids
}

/** Things that are listed in the order in which they were made. */
async function writeMade({ post, operatorPost }: Writer, round: number) {
  const rule = await post(`${authoring}/rules`, { name: `rule ${round}`, expression: 'list.block' })
  const scored = { name: 'a recipe', status: 'LIVE', threshold: 50, rules: [] }
  const recipe = await post(`${authoring}/recipes`, scored)
  const otherRecipe = await post(`${authoring}/recipes`, scored)
  const flow = await post(`${authoring}/flows`, { name: 'flow', recipes: [recipe, otherRecipe] })
  const list = await post(`${authoring}/lists`, { name: `list_${round}`, kind: 'text' })
  const described = { name: `managed ${round}`, description: 'Looks for something.' }
  const managedRule = await operatorPost(`${managed}/rules`, {
    ...described,
    expression: 'list.block',
  })
  const rules = [{ rule_id: managedRule, weight: 60 }]
  const managedRecipe = await operatorPost(`${managed}/recipes`, {
    ...{ ...described, threshold: 50, threshold_bounds: bounds, rules },
  })
  await post(`${management}/templates`, { name: 'A' })
  await post(`${management}/sender-id`, { sender_id: `SENDER${round}` })
  const app = await post('/v2/session/apps', { name: 'App' })
  return { rule, recipe, otherRecipe, flow, list, managedRule, managedRecipe, app }
}

async function writeVersions({ put, operatorPut }: Writer, round: number, ids: Ids) {
  const name = `version ${round}`
  const scored = { name, status: 'LIVE', threshold: 50, rules: [] }
  await put(`${authoring}/rules/${ids.rule}`, { name, expression: 'list.allow' })
  await put(`${authoring}/recipes/${ids.recipe}`, scored)
  await put(`${authoring}/flows/${ids.flow}`, { name, recipes: [ids.recipe, ids.otherRecipe] })
  await operatorPut(`${managed}/rules/${ids.managedRule}`, {
    ...{ name, description: 'The same.', expression: 'list.block' },
  })
  await operatorPut(`${managed}/recipes/${ids.managedRecipe}`, {
    ...{ name, description: 'The same.', threshold: 40, threshold_bounds: bounds, rules: [] },
  })
}
