/** A shop on a service that runs as a process of its own, spoken to over HTTP. */

import type { StartedVigil } from './startedVigil.ts'

export const operatorToken = 'an-operator-token-for-these-tests-only'

type Body = Record<string, unknown>

export interface Answered {
  readonly status: number
  readonly text: string
}

export interface RunningShop {
  readonly token: string
  readonly flow: string
}

/** Sends a request and reads its answer. Rejects when the service is gone. */
export async function send(
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

/** Opens an account with a flow of one rule; the service must have been started with `operatorToken`. */
export async function openRunningShop(vigil: StartedVigil): Promise<RunningShop> {
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

/** Evaluates the shop's flow for the person of this number. Rejects unless it is answered 200. */
export async function evaluate(
  vigil: StartedVigil,
  { token, flow }: RunningShop,
  number: number,
): Promise<{ readonly path: string; readonly body: string }> {
  const { status, text } = await send(vigil, ['POST', '/v2/watch/eval'], {
    token,
    body: {
      flow_id: flow,
      target: { phone_number: `+336${String(10_000_000 + number)}` },
      signals: { ext: { cart: String(number % 100) } },
    },
  })
  if (status !== 200) throw new Error(text)
  return { path: `/v2/watch/evaluations/${(JSON.parse(text) as Body)['id']}`, body: text }
}

/** Sends until the service is gone; `answered` gathers what was acknowledged, by its path. */
export async function keepSending(
  work: () => Promise<{ readonly path: string; readonly body: string }>,
  answered: Map<string, string>,
): Promise<void> {
  for (;;) {
    try {
      const { path, body } = await work()
      answered.set(path, body)
    } catch {
      return
    }
  }
}
