import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { doorAt } from '../http/support/sendRequest.ts'
import { temporaryFolder } from '../stores/support/temporaryFolder.ts'
import { type DpopKey, dpopKey } from '../support/dpopKey.ts'
import { openCustomer, operatorToken } from '../support/openVigil.ts'
import { type Refreshed, refresh } from '../support/refreshing.ts'
import { newApp, newSession, newUser } from '../support/startSession.ts'

/** More rounds for a longer search: CRASH_ROUNDS=100. */
const rounds = Number(process.env['CRASH_ROUNDS'] ?? 3)
/** Enough of them that none comes near the rate of its own. */
const sessionsMax = 24
const clients = 8
const appId = 'corner1'
const refresher = fileURLToPath(new URL('./refresher.ts', import.meta.url))

interface Session {
  readonly key: DpopKey
  /** The last that was answered. */
  token: string
  nonce: string | undefined
  /** The token was presented and not answered: what became of it nobody knows. */
  isOpen: boolean
}

interface Running {
  readonly port: number
  readonly nowMs: number
  readonly kill: () => Promise<void>
}

/** Starts the service; its clock stands still, so that no start takes longer than a lost answer is kept. */
async function startRefresher(folder: string, nowMs: number): Promise<Running> {
  const words = ['--import', 'tsx', refresher, folder, `${nowMs}`, operatorToken]
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const closed = once(child, 'close')
  const [said] = await Promise.race([once(child.stdout, 'data'), closed])
  const port = Number(String(said))
  if (!(port > 0)) throw new Error(`the service did not start: ${said}`)
  return {
    port,
    nowMs,
    kill: async () => {
      child.kill('SIGKILL')
      await closed
    },
  }
}

/** Sessions of as many users of a new application. */
async function openSessions({ port }: Running): Promise<readonly Session[]> {
  const customer = await openCustomer({ door: doorAt(port) })
  const app = await newApp(customer, { app_id: appId })
  const begin = async (): Promise<Session> => {
    const { refreshToken: token } = await newSession(customer, await newUser(customer, app))
    return { key: dpopKey(), token, nonce: undefined, isOpen: false }
  }
  return Promise.all(Array.from({ length: sessionsMax }, begin))
}

/** Presents the token, and takes the one that is answered. Rejects when there is no answer. */
async function go(session: Session, { port, nowMs }: Running): Promise<Refreshed> {
  const { key, token, nonce } = session
  session.isOpen = true
  const iat = Math.floor(nowMs / 1_000)
  const answer = await refresh({ port, appId, key, token, claims: { nonce, iat } })
  if (answer.status === 200) {
    Object.assign(session, { token: answer.token, nonce: answer.nonce, isOpen: false })
  }
  return answer
}

/** One session after the other, until the service is gone. */
async function keepRefreshing(
  sessions: readonly Session[],
  running: Running,
  onAnswer: (answer: Refreshed) => void,
): Promise<void> {
  for (let index = 0; ; index = (index + 1) % sessions.length) {
    const session = sessions[index]
    if (!session) return
    try {
      onAnswer(await go(session, running))
    } catch {
      return
    }
  }
}

test(`given a service killed at any moment among refreshes, ${rounds} times over, then nobody is logged out: what was answered is good, what was not is answered again`, {
  timeout: rounds * 120_000,
}, async () => {
  const folder = temporaryFolder()
  let nowMs = Date.now()
  let running = await startRefresher(folder, nowMs)
  const sessions = await openSessions(running)
  let lost = 0

  for (let round = 0; round < rounds; round += 1) {
    const answered: number[] = []
    const { now, promise: enough } = countdown(2 * clients + 7 * round)
    const work = Array.from({ length: clients }, (_, client) => {
      const own = sessions.filter((__, index) => index % clients === client)
      return keepRefreshing(own, running, ({ status }) => {
        answered.push(status)
        now()
      })
    })
    await enough
    await running.kill()
    await Promise.all(work)
    lost += sessions.filter(({ isOpen }) => isOpen).length
    nowMs += 1_000
    running = await startRefresher(folder, nowMs)

    const again = await Promise.all(sessions.map((session) => go(session, running)))

    expect(new Set(answered)).toEqual(new Set([200]))
    expect(again.map(({ status, text }) => `${status} ${text.slice(0, 15)}`)).toEqual(
      sessions.map(() => '200 {"access_token"'),
    )
  }

  expect(lost).toBeGreaterThan(0)
})

function countdown(count: number): { readonly now: () => void; readonly promise: Promise<void> } {
  let left = count
  let end = (): void => undefined
  const promise = new Promise<void>((resolve) => {
    end = resolve
  })
  return {
    promise,
    now: () => {
      left -= 1
      if (left === 0) end()
    },
  }
}
