import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type StartedVigil, startVigil } from '../support/startedVigil.ts'

const operatorToken = 'an-operator-token-for-these-tests-only'
const person = {
  number: '33612349876',
  address: 'ann.hidden@example.org',
  ip: '203.0.113.99',
  device: 'the-device-of-ann',
}
const phone_number = `+${person.number}`
const target = { phone_number, email_address: person.address }
const typed = { type: 'phone_number', value: phone_number }

const folder = mkdtempSync(join(tmpdir(), 'vigil-'))
const backup = `${folder}-backup`
let vigil: StartedVigil
let token = operatorToken

beforeAll(async () => {
  vigil = await startVigil(folder, { VIGIL_OPERATOR_TOKEN: operatorToken })
})
afterAll(async () => {
  await vigil.stop('SIGTERM')
  for (const made of [folder, backup]) rmSync(made, { recursive: true, force: true })
})

type Body = Record<string, unknown>
const ask = async (asked: string, body?: object): Promise<Body> => {
  const [method = '', path = ''] = asked.split(' ')
  const answer = await fetch(`${vigil.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  if (answer.status > 299) throw new Error(`${asked}: ${answer.status} ${text}`)
  return text === '' ? {} : (JSON.parse(text) as Body)
}
const cli = (...words: string[]) =>
  spawnSync(process.execPath, ['dist/cli/main.js', ...words], {
    env: { PATH: process.env['PATH'], VIGIL_URL: vigil.url, VIGIL_TOKEN: token },
    encoding: 'utf8',
  })

/** The files under the folder that hold any of it, whatever they are. */
function telling(where: string): readonly string[] {
  const files = readdirSync(where, { recursive: true, withFileTypes: true })
  return files
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => {
      const bytes = readFileSync(file)
      return Object.values(person).some((text) => bytes.includes(text))
    })
}

/** An account whose person is known everywhere; answers the flow. */
async function openShop(): Promise<string> {
  const { account_id } = await ask('POST /v2/operator/accounts', { name: 'Shop' })
  const account = `/v2/operator/accounts/${account_id}`
  await ask(`PUT ${account}/access`, { authoring: true, management: true })
  const dispatch_id = randomUUID()
  const signals = { ip: person.ip, device_id: person.device }
  await ask(`POST ${account}/dispatches`, { dispatch_id, signals })
  const scopes = ['eval', 'author', 'analyse', 'audit', 'manage', 'feedback']
  token = String((await ask(`POST ${account}/tokens`, { scopes }))['token'])
  const management = 'POST /v2/watch/management'
  const rule = await ask(`${management}/rules`, { name: 'r', expression: 'list.block' })
  const rules = [{ rule_id: rule['id'], weight: 60 }]
  const recipe = { name: 'r', status: 'LIVE', threshold: 50, rules }
  const recipes = [(await ask(`${management}/recipes`, recipe))['id']]
  const flow = String((await ask(`${management}/flows`, { name: 'f', recipes }))['id'])
  await ask('POST /v2/watch/eval', { flow_id: flow, target, dispatch_id, signals })
  await ask('POST /v2/verification/management/phone-numbers/block', { phone_number })
  const list = await ask(`${management}/lists`, { name: 'vip', kind: 'email_address' })
  await ask(`${management}/lists/${list['id']}/entries`, { value: person.address })
  const { app_id } = await ask('POST /v2/session/apps', { name: 'Shop' })
  const identifiers = [typed, { type: 'email_address', value: person.address }]
  await ask(`POST /v2/session/apps/${app_id}/users`, { identifiers })
  return flow
}

test('a person is in no file, and found nowhere, while a hundred requests about them run', async () => {
  const flow_id = await openShop()
  const evaluations: string[] = []
  const about = Array.from({ length: 100 }, async (_, index) => {
    if (index % 4 === 0) {
      const feedbacks = [{ target: typed, type: 'verification.started' }]
      await ask('POST /v2/watch/feedback', { feedbacks })
    } else {
      const { id } = await ask('POST /v2/watch/eval', { flow_id, target })
      evaluations.push(String(id))
    }
  })

  const during = [
    ask('POST /v2/watch/subjects/erase', { phone_number }),
    ask('POST /v2/watch/subjects/erase', { email_address: person.address }),
    ask('POST /v2/watch/subjects/erase', { phone_number }),
  ]
  await Promise.all([...about, ...during])
  const last = cli('subjects', 'erase', '--phone', phone_number, '--yes', '--json')
  expect(last.status).toBe(0)
  const certificate = JSON.parse(last.stdout) as Body
  expect(certificate).toMatchObject({ evaluations: 76, dispatches: 1 })
  await ask('POST /v2/watch/subjects/erase', { email_address: person.address })

  for (const id of evaluations) {
    await expect(ask(`POST /v2/watch/evaluations/${id}/replay`)).rejects.toThrow('410')
  }
  const answers = await Promise.all([
    ask('GET /v2/verification/management/phone-numbers/block'),
    ask('GET /v2/watch/feedback'),
    ask('GET /v2/watch/evaluations'),
    ask(`GET /v2/watch/subjects/erasures/${certificate['id']}`),
  ])
  for (const text of [JSON.stringify(answers), vigil.printed()]) {
    for (const personal of Object.values(person)) expect(text).not.toContain(personal)
  }
  expect(cli('backup', backup, '--data', folder).status).toBe(0)
  expect([...telling(folder), ...telling(backup)]).toEqual([])
})
