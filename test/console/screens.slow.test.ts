/** Every screen in a real Chromium: its policy, its errors, its access, its size, and how it looks. */

import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { describeInChromium, startChromium } from '../sdk/support/chromium.ts'
import { operatorToken } from '../support/openVigil.ts'
import { openShop, type Visit, type VisitOptions, visit } from './support/openConsole.ts'
import { type Listed, playLists } from './support/playLists.ts'
import { playTrials, type Trials } from './support/playTrials.ts'
import { app, playUsers, type Users } from './support/playUsers.ts'
import { playVerification, type WithVerification } from './support/playVerification.ts'

type Shop = Awaited<ReturnType<typeof openShop>> & Trials & Listed & Users & WithVerification

const pictures = 'docs/console'

interface AxeResult {
  readonly id: string
  readonly nodes: readonly { readonly target: unknown; readonly failureSummary: string }[]
}

/** What WCAG 2.2 AA has against the page. */
async function findBarriers(page: Page): Promise<readonly string[]> {
  // from outside of the page: its policy would refuse the script
  await page.evaluate(axe.source)
  const violations = await page.evaluate(async () => {
    const { axe: run } = globalThis as unknown as {
      axe: { run: (options: object) => Promise<{ violations: AxeResult[] }> }
    }
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
    return (await run.run({ runOnly: tags, resultTypes: ['violations'] })).violations
  })
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} ${JSON.stringify(target)} ${failureSummary}`),
  )
}

/** Shown when nothing is awaited any more. */
async function settle(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle')
  await page.waitForFunction(() => {
    const { document } = globalThis as unknown as {
      document: { querySelector: (of: string) => unknown }
    }
    return !document.querySelector('.loading')
  })
}

interface Shown {
  readonly name: string
  readonly path: (shop: Shop) => string
  /** What makes it worth a picture. */
  readonly prepare?: (page: Page, shop: Shop) => Promise<void>
  /** JavaScript at most, in bytes as they are sent. */
  readonly scriptMax: number
  readonly isSignedOut?: true
  /** Seen with the token of the operator. */
  readonly isOperators?: true
  /** Height of its picture on a phone, where something stays at the bottom of the window. */
  readonly pictureMax?: number
}

const kB = 1_000
const shownScreens: readonly Shown[] = [
  { name: 'sign-in', path: () => '/', scriptMax: 40 * kB, isSignedOut: true },
  { name: 'overview', path: () => '/', scriptMax: 90 * kB },
  { name: 'evaluations', path: () => '/evaluations', scriptMax: 90 * kB },
  {
    name: 'evaluation',
    path: ({ evaluations }) => `/evaluations/${evaluations.at(-1)}`,
    scriptMax: 90 * kB,
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Replay' }).click()
      await page.getByText('recomputed from the record').waitFor()
      await page.getByText('Disposable e-mail domain').first().click()
    },
  },
  {
    name: 'review',
    path: () => '/review',
    scriptMax: 90 * kB,
    prepare: openQueue,
  },
  {
    name: 'reviewing',
    pictureMax: 844,
    path: () => '/review',
    scriptMax: 90 * kB,
    prepare: async (page) => {
      await openQueue(page)
      await page.getByRole('button', { name: 'Take the next' }).click()
      await page.getByText(/left$/).waitFor()
    },
  },
  { name: 'audit', path: () => '/audit', scriptMax: 90 * kB },
  {
    name: 'audit-differences',
    path: () => '/audit?tab=differences&from=2026-01-01T00:00:00.000Z',
    scriptMax: 90 * kB,
    prepare: async (page) => page.locator('.changes details').first().click(),
  },
  { name: 'audit-erasure', path: () => '/audit?tab=erasure', scriptMax: 90 * kB },
  { name: 'rules', path: () => '/rules', scriptMax: 90 * kB },
  {
    name: 'rule',
    path: () => '/rules',
    scriptMax: 140 * kB,
    prepare: async (page, { evaluations }) => {
      await page.getByRole('link', { name: 'Number from another country than the shop' }).click()
      await page.getByLabel('From an evaluation').fill(String(evaluations.at(-1)))
      await page.getByRole('button', { name: 'Load' }).click()
      // the same words stand below, where it runs
      await page.locator('.check').getByText('Not triggered').waitFor()
      await page.getByRole('button', { name: 'Try', exact: true }).click()
      await page.getByText('This text').waitFor()
    },
  },
  { name: 'recipes', path: () => '/recipes', scriptMax: 90 * kB },
  {
    name: 'recipe',
    path: ({ recipe }) => `/recipes/${recipe}`,
    scriptMax: 90 * kB,
    prepare: async (page) => {
      await page.getByLabel('Flags from, as a number').fill('25')
      await page
        .getByText('It turns no verdict.')
        .or(page.getByText('Verdicts that it turns'))
        .first()
        .waitFor()
      await page.locator('[aria-busy=false]').waitFor()
    },
  },
  {
    name: 'versions',
    path: ({ recipe }) => `/versions/recipes/${recipe}`,
    scriptMax: 90 * kB,
    prepare: async (page) => {
      await page.getByRole('link', { name: 'Verdicts it gave' }).last().click()
      await page.getByText('evaluations ran it').waitFor()
    },
  },
  { name: 'backtests', path: () => '/backtests', scriptMax: 90 * kB },
  { name: 'backtest', path: ({ backtest }) => `/backtests/${backtest}`, scriptMax: 90 * kB },
  {
    name: 'comparison',
    path: ({ recipe, shadow }) => `/recipes/${recipe}/comparison?with=${shadow}`,
    scriptMax: 90 * kB,
  },
  { name: 'missing', path: () => '/missing?range=30d', scriptMax: 90 * kB },
  { name: 'report', path: () => '/report?range=30d', scriptMax: 90 * kB },
  { name: 'flows', path: () => '/flows', scriptMax: 90 * kB },
  {
    name: 'flow',
    path: ({ signupFlow }) => `/flows/${signupFlow}`,
    scriptMax: 90 * kB,
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Try it' }).click()
      await page.getByText(/evaluations:$/).waitFor()
    },
  },
  { name: 'lists', path: () => '/lists', scriptMax: 90 * kB },
  {
    name: 'list',
    path: ({ list }) => `/lists/${list}`,
    scriptMax: 90 * kB,
    prepare: (page) => page.getByText('bob@example.com').waitFor(),
  },
  { name: 'users', path: () => '/users', scriptMax: 90 * kB },
  { name: 'user', path: ({ user }) => `/users/${app}/${user}`, scriptMax: 90 * kB },
  { name: 'verification', path: () => '/verification', scriptMax: 90 * kB },
  {
    name: 'template',
    path: ({ template }) => `/verification/templates/${template}`,
    scriptMax: 90 * kB,
  },
  { name: 'sender-ids', path: () => '/verification', scriptMax: 90 * kB, isOperators: true },
  { name: 'accounts', path: () => '/accounts', scriptMax: 90 * kB, isOperators: true },
  {
    name: 'account',
    path: ({ account }) => `/accounts/${account}`,
    scriptMax: 90 * kB,
    isOperators: true,
  },
  { name: 'service', path: () => '/service', scriptMax: 90 * kB, isOperators: true },
]

async function openQueue(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Doubtful passes' }).click()
  await page.getByText(/waiting$/).waitFor()
}

const looks: readonly (readonly [string, VisitOptions])[] = [
  ['light', { scheme: 'light', width: 1_280 }],
  ['dark', { scheme: 'dark', width: 1_280 }],
  ['light-phone', { scheme: 'light', width: 390, height: 844 }],
  ['dark-phone', { scheme: 'dark', width: 390, height: 844 }],
]

/** `PICTURES=true` writes those of docs/console.md anew. */
const isPictured = process.env['PICTURES'] === 'true'

describeInChromium('the screens of the console', () => {
  let browser: Browser
  let shop: Shop
  let empty: Shop

  beforeAll(async () => {
    browser = await startChromium()
    const played = await playLists(await playTrials(await openShop({ perDay: 24 }), 40))
    shop = await playVerification(await playUsers(played))
    const unplayed = await playLists(await playTrials(await openShop(), 0))
    const user = 'usr_00000000000000000000000000'
    empty = { ...unplayed, list: 'allow', user, template: 'new' }
    const path = '/v2/watch/management/searches'
    await shop.send('POST', path, { name: 'Flagged', where: 'verdict = FLAG' })
    await shop.send('POST', path, {
      name: 'Doubtful passes',
      where: 'verdict = PASS and fragile = true',
    })
    mkdirSync(pictures, { recursive: true })
    return async () => {
      await browser.close()
      await shop.close()
      await empty.close()
    }
  })

  async function open(
    { path, prepare, isSignedOut, isOperators }: Shown,
    of: Shop,
    options: VisitOptions,
  ): Promise<Visit> {
    const opened = await visit(browser, of, {
      ...options,
      ...(!isSignedOut && { token: isOperators ? operatorToken : of.token }),
    })
    await opened.page.goto(`${of.url}/console${path(of)}`)
    await settle(opened.page)
    if (prepare && of === shop) await prepare(opened.page, of)
    await settle(opened.page)
    return opened
  }

  /** What reaches past the window, so that it has to be found by scrolling sideways. */
  const findOverflow = (page: Page) =>
    page.evaluate(() => {
      interface Box {
        readonly tagName: string
        readonly className: unknown
        readonly getBoundingClientRect: () => { readonly right: number }
        readonly closest: (of: string) => unknown
      }
      const { document } = globalThis as unknown as {
        document: {
          documentElement: { scrollWidth: number; clientWidth: number }
          querySelectorAll: (of: string) => Iterable<Box>
        }
      }
      const { scrollWidth, clientWidth } = document.documentElement
      if (scrollWidth <= clientWidth) return []
      return [...document.querySelectorAll('main *')]
        .filter((box) => box.getBoundingClientRect().right > clientWidth + 1)
        .map((box) => `${box.tagName} ${box.className}`)
    })

  /** From its top, as far as it tells something new. */
  async function takePicture(page: Page, path: string, tallMax = 2_200): Promise<void> {
    const { width, tall } = await page.evaluate(() => {
      const { document, scrollTo } = globalThis as unknown as {
        document: { documentElement: { scrollHeight: number; clientWidth: number } }
        scrollTo: (x: number, y: number) => void
      }
      scrollTo(0, 0)
      return {
        width: document.documentElement.clientWidth,
        tall: document.documentElement.scrollHeight,
      }
    })
    await page.mouse.move(0, 0)
    const height = Math.min(tall, width < 500 ? tallMax : 1_400)
    await page.screenshot({ path, fullPage: true, clip: { x: 0, y: 0, width, height } })
  }

  describe.each(shownScreens)('$name', (shown) => {
    test.each(looks)(
      'in %s keeps its policy, complains of nothing and has no barrier',
      async (look, options) => {
        const { page, complaints, close } = await open(shown, shop, options)

        expect(await findBarriers(page)).toEqual([])
        expect(await findOverflow(page)).toEqual([])
        expect(complaints()).toEqual([])
        expect(await page.locator('.failed').count()).toBe(0)
        const file = `${pictures}/${shown.name}-${look}.png`
        if (isPictured) await takePicture(page, file, shown.pictureMax)
        await close()
      },
    )

    test('without any traffic says what to do, and has no barrier', async () => {
      const { page, complaints, close } = await open(shown, empty, {})

      expect(await findBarriers(page)).toEqual([])
      expect(complaints()).toEqual([])
      await close()
    })

    test('reflows at four times its size', async () => {
      const { page, close } = await open(shown, shop, { width: 320, height: 256 })

      expect(await findOverflow(page)).toEqual([])
      expect(await findBarriers(page)).toEqual([])
      await close()
    })

    test('loads no more script than it may, and a picture of it stands in the guide', async () => {
      const token = shown.isOperators ? operatorToken : shop.token
      const opened = await visit(browser, shop, shown.isSignedOut ? {} : { token })
      const sizes: Promise<number>[] = []
      opened.page.on('response', (response) => {
        if (/\.js$/.test(response.url()))
          sizes.push(response.body().then((body) => gzipSync(body, { level: 9 }).length))
      })
      await opened.page.goto(`${shop.url}/console${shown.path(shop)}`)
      await settle(opened.page)
      if (shown.prepare) await shown.prepare(opened.page, shop)
      await settle(opened.page)
      const sum = (await Promise.all(sizes)).reduce((total, size) => total + size, 0)
      await opened.close()

      expect(sum).toBeGreaterThan(0)
      expect(sum).toBeLessThanOrEqual(shown.scriptMax)
      const page = readFileSync('docs/console.md', 'utf8')
      for (const [look] of looks) {
        expect(page).toContain(`console/${shown.name}-${look}.png`)
        expect(existsSync(`${pictures}/${shown.name}-${look}.png`)).toBe(true)
      }
    })
  })

  test('a service that does not answer is told, with a way on', async () => {
    const { page, close } = await visit(browser, shop, { token: shop.token })
    await page.route('**/console/api/v2/watch/**', (route) => route.abort())

    await page.goto(`${shop.url}/console/evaluations`)
    await page.getByRole('alert').first().waitFor()

    expect(await page.getByRole('alert').first().textContent()).toContain(
      'The service does not answer.',
    )
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBeGreaterThan(0)
    expect(await findBarriers(page)).toEqual([])
    await close()
  })

  test('the search for barriers and complaints finds some where there are some', async () => {
    const { page, complaints, close } = await visit(browser, shop)
    await page.goto(`${shop.url}/console/`)
    await settle(page)
    await page.evaluate(() => {
      const { document } = globalThis as unknown as {
        document: {
          createElement: (name: string) => { textContent: string }
          body: { append: (...nodes: unknown[]) => void }
        }
      }
      const script = document.createElement('script')
      try {
        script.textContent = 'globalThis.ran = true'
      } catch {
        // the policy wants a type that nobody can make
      }
      document.body.append(script, document.createElement('input'))
    })

    expect((await findBarriers(page)).join()).toContain('label')
    expect(complaints()).not.toEqual([])
    expect(await page.evaluate(() => 'ran' in globalThis)).toBe(false)
    await close()
  })
})
