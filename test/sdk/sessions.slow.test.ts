/** The session client of the published browser SDK, unmodified, in a real Chromium, with TLS in front of the service. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { doorAt } from '../http/support/sendRequest.ts'
import { type Customer, openCustomer, operatorToken } from '../support/openVigil.ts'
import { type StartedVigil, startVigil } from '../support/startedVigil.ts'
import { newApp, newSession, newUser } from '../support/startSession.ts'
import { findChromium, startChromium } from './support/chromium.ts'
import { servePage } from './support/servePage.ts'
import { serveTls, type TlsFront } from './support/serveTls.ts'

const chromium = findChromium()
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

if (chromium === undefined && process.env['CHROMIUM_REQUIRED'] === 'true') {
  throw new Error('NOT TESTED: the session client of the browser SDK, since there is no Chromium.')
}

describe.skipIf(chromium === undefined)('the session client of the browser SDK', () => {
  let folder: string
  let vigil: StartedVigil
  let front: TlsFront
  let shop: Awaited<ReturnType<typeof servePage>>
  let browser: Browser
  let page: Page
  let customer: Customer
  let user: string

  const start = () => newSession(customer, user)
  const domain = () => `${appId}.session.localhost:${front.port}`

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'vigil-sessions-'))
    vigil = await startVigil(folder, { VIGIL_OPERATOR_TOKEN: operatorToken })
    const port = Number(new URL(vigil.url).port)
    customer = await openCustomer({ door: doorAt(port) })
    shop = await servePage()
    const settings = { allowed_origins: [new URL(shop.url).origin] }
    user = await newUser(customer, await newApp(customer, { app_id: appId, settings }))
    front = await serveTls([`*.session.localhost`], port)
    browser = await startChromium(chromium ?? '')
    page = await (await browser.newContext({ ignoreHTTPSErrors: true })).newPage()
    await page.goto(shop.url)
    await page.waitForFunction(() => 'SessionClient' in globalThis)
    await page.evaluate((name) => {
      const { SessionClient } = globalThis as unknown as {
        SessionClient: new (options: object) => Client
      }
      Object.assign(globalThis, { client: new SessionClient({ domain: name }) })
    }, domain())
  })

  afterAll(async () => {
    await browser?.close()
    await front?.close()
    await shop?.close()
    await vigil?.stop('SIGTERM')
    rmSync(folder, { recursive: true, force: true })
  })

  /** Calls the client; what it throws is answered as its name and message. */
  const call = (name: keyof Client, ...given: readonly unknown[]): Promise<unknown> =>
    page.evaluate(
      async ([method, args]) => {
        type Asked = (...args: readonly unknown[]) => Promise<unknown>
        const { client } = globalThis as unknown as { client: Record<string, Asked> }
        return client[method]?.(...args).catch((error: Error) => `${error.name}: ${error.message}`)
      },
      [name, given] as const,
    )

  /** What a page does with the refresh token that its back end hands on: it puts it where the client looks. */
  const handOver = async (refreshToken: string): Promise<void> => {
    await call('refresh')
    await page.evaluate(
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
      [domain(), refreshToken] as const,
    )
  }

  test('refreshes, lists and revokes the sessions of its user', async () => {
    const mine = await start()
    const other = await start()
    await start()
    const { id } = mine
    await handOver(mine.refreshToken)

    const first = (await call('refresh')) as { user: { profile: Json } }
    await call('invalidateCache')
    const second = (await call('refresh')) as { user: { profile: Json } }
    const all = (await call('listSessions')) as Awaited<ReturnType<Client['listSessions']>>
    await call('revokeSessions', 'session', other.id)
    const fewer = (await call('listSessions', { limit: 1, offset: 1 })) as typeof all
    await call('revokeSessions', 'others')
    const one = (await call('listSessions')) as typeof all

    expect(first.user.profile).toMatchObject({
      sub: user.split('/').at(-1),
      sid: id,
      aud: appId,
    })
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
    await handOver((await start()).refreshToken)
    await call('refresh')

    expect(await call('logout')).toBeUndefined()
    expect(await call('refresh')).toBe(
      'UnauthorizedError: The access token is missing or not valid.',
    )
  })
})
