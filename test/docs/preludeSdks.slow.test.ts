/** The guide to the SDKs: its tables against the published packages, and its shop in a real Chromium. */

import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import Prelude, { NotFoundError } from '@prelude.so/sdk'
import type { Browser } from 'playwright-core'
import { expect, test } from 'vitest'
import { describeInChromium, hasChromium, startChromium } from '../sdk/support/chromium.ts'
import { openSdkShop } from '../sdk/support/openSdkShop.ts'
import { refusal } from '../sdk/support/refusal.ts'
import { listen } from '../support/listen.ts'
import { blocksOf, runGuide } from './support/runGuide.ts'

const page = 'docs/guide/prelude-sdks.md'

type Method = (...given: readonly unknown[]) => PromiseLike<unknown>

/** The rows of the guide's tables: the methods, and what is said of them. */
const rows = readFileSync(page, 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => {
    const [methods = '', said = ''] = line.slice(2).split(' | ')
    return { methods, said }
  })

/** Methods of the Node package by their names, as in `watch.predict`. */
function methodsOf(client: Prelude): ReadonlyMap<string, Method> {
  const resources = Object.entries(client).filter(([, one]) => Object(one)['_client'] === client)
  return new Map(
    resources.flatMap(([resource, one]) =>
      Object.getOwnPropertyNames(Object.getPrototypeOf(one))
        .filter((name) => name !== 'constructor')
        .map((name): [string, Method] => [
          `${resource}.${name}`,
          (...given) => (one as Record<string, Method>)[name]?.(...given) ?? Promise.resolve(),
        ]),
    ),
  )
}

test('the tables name every method of both packages once', () => {
  const types = readFileSync(
    'node_modules/@prelude.so/js-sdk/dist/types/session/client.d.ts',
    'utf8',
  )
  const ofPage = [...types.matchAll(/^ {4}(\w+)\(/gm)].map(([, name]) => name)
  const ofClient = [...methodsOf(new Prelude({ apiToken: 'none' })).keys()]
  const named = rows.flatMap(({ methods }) => [...methods.matchAll(/`([\w.]+)`/g)])

  expect(named.map(([, name]) => name).toSorted()).toEqual(
    [
      ...ofClient,
      ...ofPage.filter((name) => name !== 'constructor'),
      ...['dispatchSignals', 'performSilentVerification'],
    ].toSorted(),
  )
})

test('what the table says is not offered is answered 404', async () => {
  const shop = await openSdkShop()
  try {
    const methods = methodsOf(shop.client)
    const offeredNot = rows
      .filter(({ said }) => said.startsWith('not offered'))
      .flatMap(({ methods: cell }) => [...cell.matchAll(/`(\w+\.\w+)`/g)])
    for (const [, name = ''] of offeredNot) {
      const given = name.includes('PhoneNumber') ? ['config', '+33612345678'] : ['config']
      const error = await refusal(methods.get(name)?.(...given) as Promise<unknown>)
      expect({ name, error: String(error) }).toMatchObject({ error: expect.stringMatching(/404/) })
      expect(error).toBeInstanceOf(NotFoundError)
    }
    expect(offeredNot).toHaveLength(11)
  } finally {
    await shop.close()
  }
})

test('the code on the page is that of the example', () => {
  const read = (file: string) => readFileSync(`docs/guide/examples/shop/${file}`, 'utf8')
  const [client, backEnd = ''] = blocksOf(page)
    .filter(({ kind }) => kind === 'js')
    .map(({ text }) => text)

  expect(client).toBe(read('page.js'))
  expect(read('backEnd.mjs')).toContain(backEnd)
})

/** A port that is free now. */
async function freePort(): Promise<number> {
  const { port, close } = await listen(createServer())
  await close()
  return port
}

async function freePorts() {
  return { SHOP_PORT: String(await freePort()), TLS_PORT: String(await freePort()) }
}

test.skipIf(hasChromium)('the commands of the guide end well', async () => {
  expect(await runGuide(page, { env: await freePorts() })).toHaveLength(3)
})

describeInChromium('the shop of the guide', () => {
  let said: Record<string, string>

  test('signs up and in, and refuses a robot', { timeout: 300_000 }, async () => {
    const env = await freePorts()
    await runGuide(page, {
      env,
      meanwhile: async () => {
        const browser = await startChromium()
        const visit = visitor(browser, `http://localhost:${env.SHOP_PORT}/`)
        try {
          const [phone, weak] = ['+33612345678', 'password1']
          const up = { phone, press: 'Sign up' } as const
          const signIn = { phone, press: 'Sign in' } as const
          said = {
            robot: await visit({ ...up, as: 'HeadlessChrome' }),
            weak: await visit({ ...up, password: weak }),
            signedUp: await visit(up),
            signedIn: await visit(signIn),
            mistaken: await visit({ ...signIn, password: weak }),
            stranger: await visit({ ...signIn, phone: '+33612345679' }),
          }
        } finally {
          await browser.close()
        }
      },
    })

    expect(said).toEqual({
      robot: 'We cannot sign you up.',
      weak: expect.stringContaining('common'),
      signedUp: expect.stringMatching(/^Signed in as usr_\w+\. Active sessions: 1\.$/),
      signedIn: expect.stringMatching(/^Signed in as usr_\w+\. Active sessions: 2\.$/),
      mistaken: 'The number or the password is wrong.',
      stranger: 'The number or the password is wrong.',
    })
  })
})

interface Visit {
  /** What the browser goes by. */
  readonly as?: string
  readonly phone: string
  readonly password?: string
  readonly press: 'Sign up' | 'Sign in'
}

/** Fills in the form in a browser of its own, and reads what the page says. */
function visitor(browser: Browser, url: string) {
  return async ({ as = 'Chrome', phone, password = 'correct horse battery', press }: Visit) => {
    const userAgent = `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) ${as}/141.0.0.0 Safari/537.36`
    const context = await browser.newContext({ ignoreHTTPSErrors: true, userAgent })
    const opened = await context.newPage()
    await opened.goto(url)
    await opened.fill('[name=phone]', phone)
    await opened.fill('[name=password]', password)
    await opened.click(`text=${press}`)
    const output = opened.locator('output:not(:empty)')
    const text = (await output.textContent()) ?? ''
    await context.close()
    return text
  }
}
