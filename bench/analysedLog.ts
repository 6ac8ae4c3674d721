/** The service on a log of many evaluations, asked as an analyst asks it. */

import { setTimeout as sleep } from 'node:timers/promises'
import { awaitBacktest } from './awaitBacktest.ts'
import { operatorToken, type Started, startVigil } from './childProcess.ts'
import { celText } from './notations.ts'
import { settled } from './readiness.ts'
import { type Shop, send } from './shop.ts'
import { sixtyRules } from './sixtyRules.ts'

/** The account of a log that was written, with a token that may ask and evaluate. */
export interface AnalysedLog extends Shop {
  readonly vigil: Started
  readonly recipe: string
}

const checkedMs = 600_000
const askEveryMs = 200
const scopes = ['eval', 'author', 'analyse', 'audit']

/** Starts the service on the folder of a log, with these flags of Node and settings. */
export async function openLog(
  folder: string,
  flags: readonly string[] = [],
  settings: Readonly<Record<string, string>> = {},
): Promise<AnalysedLog> {
  const vigil = await startVigil(folder, flags, settings)
  await settled(vigil.port)
  const operate = (method: string, path: string, body?: object) =>
    send(vigil.port, { method, path, token: operatorToken, ...(body && { body }) })
  const { accounts } = await operate('GET', '/v2/operator/accounts')
  const [{ account_id: account } = { account_id: '' }] = accounts as { account_id: string }[]
  const issued = await operate('POST', `/v2/operator/accounts/${account}/tokens`, { scopes })
  const token = String(issued['token'])
  const idOf = async (kind: 'flows' | 'recipes'): Promise<string> => {
    const path = `/v2/watch/management/${kind}`
    const found = (await send(vigil.port, { method: 'GET', path, token }))[kind]
    return (found as { id: string }[])[0]?.id ?? ''
  }
  const log = { vigil, account, token, flow: await idOf('flows'), recipe: await idOf('recipes') }
  await checked(log)
  return log
}

/** The thread that answers questions checks the files of the folder first, after a start. */
async function checked(log: AnalysedLog): Promise<void> {
  const deadlineMs = performance.now() + checkedMs
  for (;;) {
    try {
      await timeAt(log, 'newest')
      return
    } catch (error) {
      if (performance.now() > deadlineMs) throw error
      await sleep(askEveryMs)
    }
  }
}

/** From and to, as parameters of a question, of the newest evaluations of the log: about so many of all. */
export async function newest(log: AnalysedLog, count: number, all: number): Promise<string> {
  const [first, last] = [await timeAt(log, 'oldest'), await timeAt(log, 'newest')]
  const from = Math.floor(last - ((last - first) * Math.min(count, all)) / all)
  return `from=${new Date(from).toISOString()}&to=${new Date(last + 1).toISOString()}`
}

async function timeAt({ vigil, token }: AnalysedLog, order: 'oldest' | 'newest'): Promise<number> {
  const path = `/v2/watch/evaluations/export?order=${order}&limit=1&from=2020-01-01T00:00:00Z`
  const row = await send(vigil.port, { method: 'GET', path, token })
  return Date.parse(String(row['evaluated_at']))
}

/** What one question to the log is. */
export interface Question {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: object
}

/** Questions about the evaluations of a range, `from` and `to` of which are given as parameters. */
export const questions = {
  /** Reads documents alone. */
  scan: (_: AnalysedLog, range: string) => ask(`/v2/watch/evaluations/top?name=verdict&${range}`),
  /** Opens all that was sent. */
  opened: (_: AnalysedLog, range: string) =>
    ask(`/v2/watch/evaluations/top?name=ext.shop_country&${range}`),
  export: (_: AnalysedLog, range: string) =>
    ask(`/v2/watch/evaluations/export?format=csv&columns=verdict,score,ext.shop_country&${range}`),
  parquet: (_: AnalysedLog, range: string) =>
    ask(
      `/v2/watch/evaluations/export?format=parquet&columns=verdict,score,ext.shop_country&${range}`,
    ),
  /** A flow of one recipe of twenty rules. */
  backtest: ({ flow }: AnalysedLog, range: string) =>
    ask(`/v2/watch/management/backtests?${range}`, {
      flow_id: flow,
      draft: { recipes: [{ name: 'Twenty', threshold: 50, rules: twentyRules }] },
    }),
  /** Another threshold of the recipe that ran, by what is on record. */
  reweigh: ({ flow, recipe }: AnalysedLog, range: string) =>
    ask(`/v2/watch/management/backtests?${range}`, {
      ...{ flow_id: flow, recipe_id: recipe, threshold: 60 },
    }),
} satisfies Readonly<Record<string, (log: AnalysedLog, range: string) => Question>>

const twentyRules = sixtyRules.slice(0, 20).map((condition, index) => ({
  name: `Draft ${index}`,
  expression: celText(condition),
  weight: 10,
}))

function ask(path: string, body?: object): Question {
  return { method: body ? 'POST' : 'GET', path, ...(body && { body }) }
}

/**
 * Asks it and reads the answer to its end, or until it is given up. Throws with the answer when it is a refusal.
 */
export async function readAnswer(
  { vigil, token }: AnalysedLog,
  { method, path, body }: Question,
  signal?: AbortSignal,
): Promise<string> {
  if (body) {
    return JSON.stringify(await awaitBacktest(vigil.port, { method, path, token, body }, signal))
  }
  const answer = await fetch(`http://127.0.0.1:${vigil.port}${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}` },
    ...(signal && { signal }),
  })
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
  let end = ''
  for await (const piece of answer.body ?? []) {
    end = (end + Buffer.from(piece).toString('latin1')).slice(-endMax)
  }
  return end
}

/** Characters of an answer that are kept: all of a report, the end of an export. */
const endMax = 1_000_000

/** How many evaluations the answer is about. */
export function evaluationsOf(answer: string): number {
  const read = JSON.parse(answer) as { evaluations?: number; all?: { evaluations: number } }
  return read.evaluations ?? read.all?.evaluations ?? 0
}
