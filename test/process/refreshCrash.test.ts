import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type DpopKey, dpopKey } from '../support/dpopKey.ts'
import { type Refreshed, refresh } from '../support/refreshing.ts'
import { operatorToken, send } from '../support/runningShop.ts'
import { type StartedVigil, startVigil } from '../support/startedVigil.ts'

const rounds = Number(process.env['VIGIL_TEST_CRASH_ROUNDS'] ?? 3)
/** Enough of them that none comes near the rate of its own. */
const sessionsMax = 24
const clients = 8
/** Less than the ten seconds in which a lost answer is given again. */
const inTimeMs = 9_000

type Body = Record<string, unknown>

interface Session {
  readonly key: DpopKey
  /** The last that was answered. */
  token: string
  nonce: string | undefined
  /** When the token was presented without an answer: what became of it nobody knows. */
  askedMs: number | undefined
}

const appId = 'corner1'
const env = { VIGIL_OPERATOR_TOKEN: operatorToken, LOG_LEVEL: 'info' }
const portOf = ({ url }: StartedVigil): number => Number(new URL(url).port)

/** Sessions of as many users of a new application. */
async function openSessions(vigil: StartedVigil): Promise<readonly Session[]> {
  const ask = async (token: string, method: string, [path, body]: readonly [string, object]) => {
    const { status, text } = await send(vigil, [method, path], { token, body })
    if (status >= 300) throw new Error(text)
    return JSON.parse(text) as Body
  }
  const accounts = '/v2/operator/accounts'
  const { account_id } = await ask(operatorToken, 'POST', [accounts, { name: 'Shop' }])
  const account = `${accounts}/${account_id}`
  await ask(operatorToken, 'PUT', [`${account}/access`, { management: true }])
  const issued = await ask(operatorToken, 'POST', [`${account}/tokens`, { scopes: ['manage'] }])
  const token = String(issued['token'])
  await ask(token, 'POST', ['/v2/session/apps', { name: 'Shop', app_id: appId }])
  const users = `/v2/session/apps/${appId}/users`
  const begin = async (_: unknown, index: number): Promise<Session> => {
    const identifiers = [{ type: 'customer_user_id', value: `user ${index}` }]
    const { id } = await ask(token, 'POST', [users, { identifiers }])
    const started = await ask(token, 'POST', [`${users}/${id}/sessions`, {}])
    const first = String(started['refresh_token'])
    return { key: dpopKey(), token: first, nonce: undefined, askedMs: undefined }
  }
  return Promise.all(Array.from({ length: sessionsMax }, begin))
}

/** Presents the token, and takes the one that is answered. Rejects when there is no answer. */
async function go(session: Session, port: number): Promise<Refreshed> {
  const { key, token, nonce } = session
  session.askedMs ??= Date.now()
  const answer = await refresh({ port, appId, key, token, claims: { nonce } })
  if (answer.status === 200) {
    Object.assign(session, { token: answer.token, nonce: answer.nonce, askedMs: undefined })
  }
  return answer
}

/** One session after the other, until the service is gone. */
async function keepRefreshing(
  sessions: readonly Session[],
  port: number,
  onAnswer: (answer: Refreshed) => void,
): Promise<void> {
  for (let index = 0; ; index = (index + 1) % sessions.length) {
    const session = sessions[index]
    if (!session) return
    try {
      onAnswer(await go(session, port))
    } catch {
      return
    }
  }
}

test('a kill -9 among refreshes logs nobody out: what was answered is good, what was not is answered again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vigil-'))
  let vigil = await startVigil(folder, env)
  let sessions = await openSessions(vigil)
  const statuses = new Set<number>()
  let answered = 0
  let lost = 0

  for (let round = 0; round < rounds || (lost === 0 && round < 4 * rounds); round += 1) {
    let count = 0
    const port = portOf(vigil)
    const enough = new Promise<void>((resolve) => {
      const onAnswer = ({ status }: Refreshed): void => {
        statuses.add(status)
        count += 1
        if (count === 2 * clients + 7 * round) resolve()
      }
      for (let client = 0; client < clients; client += 1) {
        const own = sessions.filter((_, index) => index % clients === client)
        void keepRefreshing(own, port, onAnswer)
      }
    })
    await enough
    await vigil.stop('SIGKILL')
    vigil = await startVigil(folder, env)
    answered += count

    // a machine that takes longer to start than an answer is kept says nothing of what was asked
    sessions = sessions.filter(({ askedMs = Date.now() }) => Date.now() - askedMs < inTimeMs)
    lost += sessions.filter(({ askedMs }) => askedMs !== undefined).length
    const after = await Promise.all(sessions.map((session) => go(session, portOf(vigil))))
    expect(after.map(({ status, text }) => `${status} ${text.slice(0, 15)}`)).toEqual(
      after.map(() => '200 {"access_token"'),
    )
  }

  expect([...statuses]).toEqual([200])
  expect(answered).toBeGreaterThan(rounds * clients)
  expect(lost).toBeGreaterThan(0)
  expect(await vigil.stop('SIGTERM')).toBe(0)
  rmSync(folder, { recursive: true, force: true })
}, 600_000)
