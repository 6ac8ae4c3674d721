/** An account with a token and a flow, set up through the API as an operator and an author would. */

import { operatorToken } from './childProcess.ts'
import type { Condition } from './conditions.ts'
import { celText } from './notations.ts'
import { weightOf } from './plan.ts'

export interface Shop {
  readonly account: string
  readonly token: string
  readonly flow: string
}

/** Opens the account; its token has these scopes more. Throws with the answer when one is not what was asked for. */
export async function openShop(
  port: number,
  conditions: readonly Condition[],
  more: readonly string[] = [],
): Promise<Shop> {
  const { account, token } = await openAccount(port, ['eval', 'author', ...more])
  const make = async (kind: string, body: object): Promise<string> => {
    const path = `/v2/watch/management/${kind}`
    return String((await send(port, { method: 'POST', path, token, body }))['id'])
  }
  const rules: object[] = []
  for (const [index, condition] of conditions.entries()) {
    const rule_id = await make('rules', { name: `Rule ${index}`, expression: celText(condition) })
    rules.push({ rule_id, weight: weightOf(index) })
  }
  const recipe = await make('recipes', { name: 'Recipe', status: 'LIVE', threshold: 50, rules })
  const flow = await make('flows', { name: 'Flow', recipes: [recipe] })
  return { account, token, flow }
}

/** An account that may author, and a token of it with these scopes. */
export async function openAccount(
  port: number,
  scopes: readonly string[],
): Promise<{ account: string; token: string }> {
  const operate = (method: string, path: string, body: object) =>
    send(port, { method, path: `/v2/operator/accounts${path}`, token: operatorToken, body })
  const account = String((await operate('POST', '', { name: 'Shop' }))['account_id'])
  await operate('PUT', `/${account}/access`, { authoring: true })
  return {
    account,
    token: String((await operate('POST', `/${account}/tokens`, { scopes }))['token']),
  }
}

/** The text of a public key of the account's front ends. */
export async function issueSdkKey(port: number, account: string): Promise<string> {
  const path = `/v2/operator/accounts/${account}/sdk-keys`
  const issued = await send(port, { method: 'POST', path, token: operatorToken, body: {} })
  return String(issued['sdk_key'])
}

export interface Sent {
  readonly method: string
  readonly path: string
  readonly token: string
  readonly body?: object
}

/** Asks through the API. Throws with the answer when it is a refusal. */
export async function send(port: number, sent: Sent): Promise<Readonly<Record<string, unknown>>> {
  const { method, path, token, body } = sent
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
  return JSON.parse(text) as Record<string, unknown>
}
