/**
 * The session client of the published browser SDK, unmodified, in a real Chromium, with TLS in front of the service.
 */

import { readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { describeInChromium, openShopPage } from './support/chromium.ts'
import { serveTls } from './support/serveTls.ts'

const appId = 'corner1'

type Json = Record<string, unknown>

interface Client {
  readonly refresh: () => Promise<{ readonly user: { readonly profile: Json } }>
  readonly listSessions: (options?: object) => Promise<{
    readonly sessions: readonly { readonly id: string }[]
    readonly total: number
  }>
  readonly revokeSessions: (target: string, sessionId?: string) => Promise<void>
  readonly invalidateCache: () => Promise<void>
  readonly logout: () => Promise<void>
}

interface Asked {
  onsuccess: () => void
  onerror: () => void
}

/** What is used of it. */
interface IndexedDb {
  readonly indexedDB: {
    readonly open: (name: string) => Asked & {
      readonly result: {
        readonly transaction: (
          store: string,
          mode: string,
        ) => { readonly objectStore: (name: string) => { readonly put: (one: object) => Asked } }
      }
    }
  }
}

describeInChromium('the session client of the browser SDK', () => {
  let shop: Awaited<ReturnType<typeof openShopPage>>
  let front: Awaited<ReturnType<typeof serveTls>>
  let user: string

  const ask = async (path: string, body: object): Promise<Json> =>
    (await shop.customer.send('POST', `/v2/session/apps${path}`, body)).body
  const start = () => ask(`/${appId}/users/${user}/sessions`, {})
  const domain = () => `${appId}.session.localhost:${front.port}`

  beforeAll(async () => {
    shop = await openShopPage()
    const settings = { allowed_origins: [new URL(shop.url).origin] }
    await ask('', { name: 'Shop', app_id: appId, settings })
    const identifiers = [{ type: 'customer_user_id', value: '4711' }]
    user = String((await ask(`/${appId}/users`, { identifiers }))['id'])
    front = await serveTls([`*.session.localhost`], Number(new URL(shop.vigil.url).port))
    await shop.page.evaluate((name) => {
      const { SessionClient } = globalThis as unknown as {
        SessionClient: new (options: object) => Client
      }
      Object.assign(globalThis, { client: new SessionClient({ domain: name }) })
    }, domain())
    return async () => {
      await front.close()
      await shop.close()
    }
  })

  /** Calls the client; what it throws is answered as its name and message. */
  const call = (name: keyof Client, ...given: readonly unknown[]): Promise<unknown> =>
    shop.page.evaluate(
      async ([method, args]) => {
        type Asked = (...args: readonly unknown[]) => Promise<unknown>
        const { client } = globalThis as unknown as { client: Record<string, Asked> }
        return client[method]?.(...args).catch((error: Error) => `${error.name}: ${error.message}`)
      },
      [name, given] as const,
    )

  /** What a page does with the refresh token that its back end hands on: it puts it where the client looks. */
  const handOver = async (refreshToken: unknown): Promise<void> => {
    await call('refresh')
    await shop.page.evaluate(
      ([name, text]) =>
        new Promise<void>((resolve, reject) => {
          const { indexedDB } = globalThis as unknown as IndexedDb
          const opening = indexedDB.open('prld')
          opening.onsuccess = () => {
            const tokens = opening.result.transaction('refresh_tokens', 'readwrite')
            const putting = tokens
              .objectStore('refresh_tokens')
              .put({ domain: name, refreshToken: text })
            putting.onsuccess = () => resolve()
            putting.onerror = () => reject(new Error('the token was not kept'))
          }
        }),
      [domain(), String(refreshToken)] as const,
    )
  }

  test('refreshes, lists and revokes the sessions of its user', async () => {
    const mine = await start()
    const other = await start()
    await start()
    const { id } = mine['session'] as { id: string }
    await handOver(mine['refresh_token'])

    const first = (await call('refresh')) as { user: { profile: Json } }
    await call('invalidateCache')
    const second = (await call('refresh')) as { user: { profile: Json } }
    const all = (await call('listSessions')) as Awaited<ReturnType<Client['listSessions']>>
    await call('revokeSessions', 'session', (other['session'] as { id: string }).id)
    const fewer = (await call('listSessions', { limit: 1, offset: 1 })) as typeof all
    await call('revokeSessions', 'others')
    const one = (await call('listSessions')) as typeof all

    expect(first.user.profile).toMatchObject({ sub: user, sid: id, aud: appId })
    expect(second.user.profile['jti']).not.toBe(first.user.profile['jti'])
    expect(all).toMatchObject({ total: 3, limit: 10, offset: 0 })
    expect(all.sessions.map((session) => session.id)).toContain(id)
    expect(fewer).toMatchObject({ total: 2, limit: 1, offset: 1 })
    expect(one.sessions.map((session) => session.id)).toEqual([id])
  })

  test('is answered 404 for what the guide says is not offered', async () => {
    const rows = readFileSync('docs/guide/prelude-sdks.md', 'utf8')
      .split('\n')
      .filter((line) => line.includes('| not offered: your back end'))
    const names = rows.flatMap((row) => [...row.matchAll(/`(\w+)`/g)].map(([, name = '']) => name))
    // these come after an answer that there never is: a challenge
    const asking = names.filter(
      (name) => !['continueStepUp', 'otpCreate', 'otpCheck'].includes(name),
    )
    const refused = await Promise.all(
      asking.map(async (name) => [
        name,
        await call(name as keyof Client, { scope: 'x', provider: 'google' }),
      ]),
    )

    expect(names).toHaveLength(13)
    expect(Object.fromEntries(refused)).toEqual(
      Object.fromEntries(asking.map((name) => [name, expect.stringMatching(/^NotFoundError/)])),
    )
  })

  test('signs out, and is told when nothing is left', async () => {
    await handOver((await start())['refresh_token'])
    await call('refresh')

    expect(await call('logout')).toBeUndefined()
    expect(await call('refresh')).toBe(
      'UnauthorizedError: The access token is missing or not valid.',
    )
  })
})
