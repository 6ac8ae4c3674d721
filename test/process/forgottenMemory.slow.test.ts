import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { operatorToken, sendAs } from '../support/openVigil.ts'
import { type StartedVigil, startVigil } from '../support/startedVigil.ts'
import { newApp, newSession } from '../support/startSession.ts'

const person = {
  number: '33687654399',
  address: 'zaphod@beeblebrox.example',
  device: 'the-model-of-zaphod',
  reason: 'what-zaphod-did',
  signal: 'what-zaphod-sent',
  ip: '203.0.113.177',
}
const phone_number = `+${person.number}`
const target = { phone_number, email_address: person.address }

const looksMax = 5

const folder = mkdtempSync(join(tmpdir(), 'vigil-'))
let vigil: StartedVigil | undefined
afterAll(async () => {
  await vigil?.stop('SIGTERM')
  rmSync(folder, { recursive: true, force: true })
})

/** What of the person stands in the memory of the process. */
async function listKept({ process: child }: StartedVigil): Promise<readonly string[]> {
  const find = () => readdirSync(folder).find((file) => file.endsWith('.heapsnapshot'))
  child.kill('SIGUSR2')
  let text = ''
  await eventually(() => {
    const file = find()
    text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8')
    return text.trimEnd().endsWith(']}')
  })
  rmSync(join(folder, find() ?? ''))
  return Object.values(person).filter((one) => text.includes(one))
}

test('what a person was evaluated, listed and signed in with is in no memory once they are erased', async () => {
  const options = `--heapsnapshot-signal=SIGUSR2 --diagnostic-dir=${folder}`
  const environment = { VIGIL_OPERATOR_TOKEN: operatorToken, NODE_OPTIONS: options }
  vigil = await startVigil(join(folder, 'data'), environment)
  const { door } = vigil
  const operate = sendAs(vigil, operatorToken)
  const { body } = await operate('POST', '/v2/operator/accounts', { name: 'Shop' })
  const account = `/v2/operator/accounts/${body['account_id']}`
  await operate('PUT', `${account}/access`, { authoring: true, management: true })
  const scopes = ['eval', 'author', 'analyse', 'audit', 'manage']
  const issued = await operate('POST', `${account}/tokens`, { scopes })
  const send = sendAs(vigil, String(issued.body['token']))
  const make = async (kind: string, content: object) =>
    (await send('POST', `/v2/watch/management/${kind}`, content)).body['id']
  const read = `emailDomain(target.email_address) == "x" || inCidr(signal.ip, ["10.0.0.0/8"])`
  const rule = await make('rules', { name: 'r', expression: `${read} || signal.ext.a == "x"` })
  const rules = [{ rule_id: rule, weight: 60 }]
  const recipe = await make('recipes', { name: 'r', status: 'LIVE', threshold: 50, rules })
  const flow_id = await make('flows', { name: 'f', recipes: [recipe] })
  const signals = { ip: person.ip, ext: { a: person.signal } }
  const dispatch_id = crypto.randomUUID()
  await operate('POST', `${account}/dispatches`, { dispatch_id, signals: { ip: person.ip } })
  const evaluated = await send('POST', '/v2/watch/eval', { flow_id, target, dispatch_id, signals })
  await send('POST', `/v2/watch/evaluations/${evaluated.body['id']}/replay`)
  const entry = { phone_number, reason: person.reason }
  await send('POST', '/v2/verification/management/phone-numbers/block', entry)
  const app = await newApp({ send }, { app_id: 'corner1' })
  const identifiers = [{ type: 'phone_number', value: phone_number }]
  const user = (await send('POST', `${app}/users`, { identifiers })).body['id']
  const device = { device_type: 'IOS', device_model: person.device }
  const { token } = await newSession({ send }, `${app}/users/${user}`, device)
  const host = { host: 'corner1.session.localhost' }
  const mine = await door.request('GET', '/v1/session/me/list', { token, headers: host })
  await send('GET', '/v2/watch/audit/state?kind=entry')
  const history = await send(
    'GET',
    `/v2/watch/audit/events?phone_number=${encodeURIComponent(phone_number)}`,
  )
  expect([evaluated.status, mine.status, history.status]).toEqual([200, 200, 200])
  expect(await listKept(vigil)).toEqual(expect.arrayContaining([person.number, person.device]))

  for (const erased of [{ email_address: person.address }, { phone_number }]) {
    expect((await send('POST', '/v2/watch/subjects/erase', erased)).status).toBe(200)
  }
  // of a connection the last request is kept
  await send('GET', '/health/live')

  // what was under way ends, and is collected
  let kept: readonly string[] = Object.values(person)
  for (let looks = 0; kept.length > 0 && looks < looksMax; looks += 1) kept = await listKept(vigil)
  expect(kept).toEqual([])
})
