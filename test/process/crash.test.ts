import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type StartedVigil, startVigil } from '../support/startedVigil.ts'

const rounds = Number(process.env['VIGIL_TEST_CRASH_ROUNDS'] ?? 4)
const clients = 8
const operatorToken = 'an-operator-token-for-these-tests-only'

type Body = Record<string, unknown>

interface Answered {
  readonly status: number
  readonly text: string
}

async function send(
  vigil: StartedVigil,
  [method, path]: readonly [string, string],
  sent: { readonly token: string; readonly body?: unknown },
): Promise<Answered> {
  const answer = await fetch(`${vigil.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${sent.token}`, 'content-type': 'application/json' },
    ...(sent.body !== undefined && { body: JSON.stringify(sent.body) }),
  })
  return { status: answer.status, text: await answer.text() }
}

async function openShop(vigil: StartedVigil): Promise<{ token: string; flow: string }> {
  const post = async (token: string, path: string, body: unknown): Promise<Body> => {
    const method = path.endsWith('access') ? 'PUT' : 'POST'
    return JSON.parse((await send(vigil, [method, path], { token, body })).text) as Body
  }
  const accounts = '/v2/operator/accounts'
  const { account_id } = await post(operatorToken, accounts, { name: 'Shop' })
  await post(operatorToken, `${accounts}/${account_id}/access`, { authoring: true })
  const scopes = ['eval', 'author', 'analyse', 'audit']
  const issued = await post(operatorToken, `${accounts}/${account_id}/tokens`, { scopes })
  const token = String(issued['token'])
  const management = '/v2/watch/management'
  const rule = await post(token, `${management}/rules`, {
    name: 'cart',
    expression: 'int(signal.ext.cart) > 50',
  })
  const recipe = await post(token, `${management}/recipes`, {
    name: 'carts',
    status: 'LIVE',
    threshold: 50,
    rules: [{ rule_id: rule['id'], weight: 60 }],
  })
  const flow = await post(token, `${management}/flows`, { name: 'f', recipes: [recipe['id']] })
  return { token, flow: String(flow['id']) }
}

async function untilAnswered(answered: ReadonlyMap<string, string>, count: number): Promise<void> {
  const deadline = Date.now() + 60_000
  while (answered.size < count && Date.now() < deadline) await sleep(5)
}

/** Sends until the service is gone; `answered` gathers what was acknowledged. */
async function keepSending(
  work: () => Promise<readonly [path: string, body: string]>,
  answered: Map<string, string>,
): Promise<void> {
  for (;;) {
    try {
      const [path, body] = await work()
      answered.set(path, body)
    } catch {
      return
    }
  }
}

test('what was answered before a kill -9 is there after it, whole, and nothing else is invented', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vigil-'))
  const env = { VIGIL_OPERATOR_TOKEN: operatorToken, LOG_LEVEL: 'info' }
  let vigil = await startVigil(folder, env)
  const { token, flow } = await openShop(vigil)
  const answered = new Map<string, string>()
  let number = 0

  const evaluate = async () => {
    number += 1
    const { status, text } = await send(vigil, ['POST', '/v2/watch/eval'], {
      token,
      body: {
        flow_id: flow,
        target: { phone_number: `+336${String(10_000_000 + number)}` },
        signals: { ext: { cart: String(number % 100) } },
      },
    })
    if (status !== 200) throw new Error(text)
    return [`/v2/watch/evaluations/${(JSON.parse(text) as Body)['id']}`, text] as const
  }
  const author = async () => {
    number += 1
    const { status, text } = await send(vigil, ['POST', '/v2/watch/management/rules'], {
      token,
      body: { name: `rule ${number}`, expression: `signal.ext.n == "${number}"` },
    })
    if (status !== 201) throw new Error(text)
    return [`/v2/watch/management/rules/${(JSON.parse(text) as Body)['id']}`, text] as const
  }

  for (let round = 0; round < rounds; round += 1) {
    const work = Array.from({ length: clients }, (_, client) =>
      keepSending(client % 4 === 0 ? author : evaluate, answered),
    )
    // in the midst of the work, however fast this machine is
    await untilAnswered(answered, (round + 1) * 2 * clients)
    await sleep(50 * round)
    await vigil.stop('SIGKILL')
    await Promise.all(work)
    vigil = await startVigil(folder, env)
  }

  expect(answered.size).toBeGreaterThan(rounds * clients)
  for (const [path, body] of answered) {
    const seen = await send(
      vigil,
      ['GET', `${path}?min_position=0`.replace(/(evl_.*)\?.*/, '$1')],
      {
        token,
      },
    )
    expect(seen.status).toBe(200)
    const expected = JSON.parse(body) as Body
    expect(JSON.parse(seen.text)).toMatchObject(expected)
  }
  const [sample] = [...answered.keys()].filter((path) => path.includes('evl_'))
  const replay = await send(vigil, ['POST', `${sample}/replay`], { token })
  expect(JSON.parse(replay.text)).toEqual({ result: 'MATCH', differences: [] })
  expect(await vigil.stop('SIGTERM')).toBe(0)
  rmSync(folder, { recursive: true, force: true })
}, 600_000)
