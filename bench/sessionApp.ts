/** An application whose users have sessions, set up through the API as the back end of a customer would. */

import { openAccount, send } from './shop.ts'

export const appId = 'bench01'
export const appHost = `${appId}.session.localhost`

/** What a session is used with. */
interface StartedSession {
  readonly access_token: string
  readonly refresh_token: string
}

export interface SessionApp {
  /** Answers where the user is found. */
  readonly newUser: (name: string) => Promise<string>
  readonly startSession: (user: string) => Promise<StartedSession>
}

const device = {
  device_type: 'IOS',
  device_model: 'iPhone 15',
  os_version: '18.1',
  country_code: 'FR',
}

/** Registers it with these lifetimes of tokens. Throws with the answer when one is not what was asked for. */
export async function openApp(port: number, tokens: object): Promise<SessionApp> {
  const { token } = await openAccount(port, ['manage'])
  const path = '/v2/session/apps'
  const post = (at: string, body: object) => send(port, { method: 'POST', path: at, token, body })
  await post(path, { name: 'Shop', app_id: appId, settings: { tokens } })
  const users = `${path}/${appId}/users`
  return {
    newUser: async (value) => {
      const { id } = await post(users, { identifiers: [{ type: 'customer_user_id', value }] })
      return `${users}/${id}`
    },
    startSession: async (user) => {
      const { access_token, refresh_token } = await post(`${user}/sessions`, device)
      return { access_token: String(access_token), refresh_token: String(refresh_token) }
    },
  }
}

const atOnce = 32

/** Does something so many times, by its number from 0 on, some at once. */
export async function inParallel(
  count: number,
  work: (index: number) => Promise<void>,
): Promise<void> {
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < count) {
      next += 1
      await work(next - 1)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}
