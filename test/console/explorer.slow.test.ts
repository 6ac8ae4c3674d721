/** The explorer over more evaluations than a page has: what it asks, shows and keeps. */

import type { Browser, Page } from 'playwright-core'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { describeInChromium, startChromium } from '../sdk/support/chromium.ts'
import { eventually } from '../support/eventually.ts'
import { openShop, type Shop, visit } from './support/openConsole.ts'

describeInChromium('the explorer', () => {
  let browser: Browser
  let shop: Shop

  beforeAll(async () => {
    browser = await startChromium()
    shop = await openShop({ perDay: 14 })
    return async () => {
      await browser.close()
      await shop.close()
    }
  })
  afterEach(() => {
    vi.restoreAllMocks()
  })

  async function open(query: string) {
    const opened = await visit(browser, shop, { token: shop.token })
    const asked: string[] = []
    opened.page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await opened.page.goto(`${shop.url}/console/evaluations?${query}`)
    const count = (name: string) => asked.filter((path) => path.endsWith(`/${name}`)).length
    return { ...opened, count }
  }
  const tableOf = (page: Page) => page.getByRole('table', { name: 'Evaluations', exact: true })
  const links = (page: Page) => tableOf(page).locator('tbody a')
  /** The ids on the page, the newest first. */
  async function readIds(page: Page): Promise<readonly string[]> {
    await page
      .locator('section[aria-busy=false]')
      .filter({ has: tableOf(page) })
      .waitFor()
    const addresses = await links(page).evaluateAll((all) =>
      all.map((link) => String((link as unknown as { href: string }).href)),
    )
    return addresses.map((address) => address.split('/').at(-1) ?? '')
  }
  const press = (page: Page, name: string) =>
    page.getByRole('button', { name, exact: true }).click()
  async function turn(page: Page, name: string): Promise<readonly string[]> {
    const address = page.url()
    await press(page, name)
    await page.waitForURL((url) => url.href !== address)
    return readIds(page)
  }

  test('has each evaluation once over its pages, in both directions, and keeps one page of them', async () => {
    const { page, complaints, count, close } = await open('range=30d')
    const pages = [await readIds(page)]
    for (let of = 50; of < shop.evaluations.length; of += 50) pages.push(await turn(page, 'Older'))

    expect(pages.length).toBeGreaterThan(4)
    expect(pages.flat()).toEqual(shop.evaluations.toReversed())
    expect(await page.getByRole('button', { name: 'Older', exact: true }).isDisabled()).toBe(true)
    expect(count('export')).toBe(pages.length)
    expect(count('statistics')).toBe(1)
    expect(await page.locator('tr').count()).toBeLessThanOrEqual(150)
    expect((await findKeptIds(page)).size).toBeLessThanOrEqual(150)
    expect(await turn(page, 'Newer')).toEqual(pages.at(-2))
    expect(await turn(page, 'Newest')).toEqual(pages[0])
    expect(await turn(page, 'Oldest')).toEqual(shop.evaluations.slice(0, 50).toReversed())
    expect(complaints()).toEqual([])
    await close()
  })

  /** In the texts that the page holds in memory. */
  async function findKeptIds(page: Page): Promise<ReadonlySet<string>> {
    const devtools = await page.context().newCDPSession(page)
    let snapshot = ''
    devtools.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => {
      snapshot += chunk
    })
    await devtools.send('HeapProfiler.takeHeapSnapshot')
    return new Set(snapshot.match(/evl_[0-9a-z]{26}/g))
  }

  test('a page is restored by reload, and Back leads to the row that was opened', async () => {
    const { page, close } = await open('range=30d')
    await readIds(page)
    const older = await turn(page, 'Older')
    await page.reload()
    expect(await readIds(page)).toEqual(older)

    await links(page).nth(30).click()
    await page.getByRole('heading', { name: 'Evidence' }).waitFor()
    await page.goBack()
    const opened = page.locator('a:focus')
    await opened.waitFor()

    expect(await readIds(page)).toEqual(older)
    expect(await opened.getAttribute('href')).toContain(older[30])
    await page.getByLabel('Verdict').selectOption('FLAG')
    await page.waitForURL((url) => !url.searchParams.has('page') && !url.searchParams.has('row'))
    await close()
  })

  test('a bar of the chart leads to its day, and a time is searched for once it is typed', async () => {
    const { page, close } = await open('range=30d')
    await readIds(page)
    await page.locator('.chart g').nth(-3).click()
    await page.waitForURL(/range=fixed/)
    const { searchParams } = new URL(page.url())
    const [from, to] = ['from', 'to'].map((name) => Date.parse(searchParams.get(name) ?? ''))
    expect(Number(to) - Number(from)).toBe(86_400_000)
    const ofDay = await readIds(page)
    const times = await tableOf(page)
      .locator('time')
      .evaluateAll((all) => all.map((one) => (one as unknown as { dateTime: string }).dateTime))
    expect(times.every((at) => Date.parse(at) >= Number(from) && Date.parse(at) < Number(to))).toBe(
      true,
    )

    const address = page.url()
    const end = times[1] ?? ''
    await page.getByLabel('To (UTC)').fill(end.slice(0, 19))
    expect(page.url()).toBe(address)
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => url.searchParams.get('to') === `${end.slice(0, 19)}.000Z`)
    expect(new URL(page.url()).searchParams.get('from')).toBe(searchParams.get('from'))
    expect((await readIds(page)).length).toBeLessThan(ofDay.length)
    await close()
  })

  test('counts top values when they are asked for, and again for who has the link', async () => {
    const { page, count, close } = await open('range=30d')
    await readIds(page)
    await page.waitForLoadState('networkidle')
    expect(count('top')).toBe(0)

    await page.getByRole('button', { name: 'email_domain' }).click()
    await page.getByRole('button', { name: 'mailinator.com' }).waitFor()
    expect([count('top'), count('export')]).toEqual([1, 1])
    await page.reload()
    await page.getByRole('button', { name: 'mailinator.com' }).waitFor()
    await close()
  })

  test('a search that finds nothing for long says how far it is, and is given up', async () => {
    const after = { id: 'evl_0', values: [0] }
    const slice = { folded: [], matched: 0, end: 1, reachedMs: Date.now() - 3_600_000, after }
    let seen: AbortSignal | undefined
    vi.spyOn(shop.vigil.service.context, 'scanSlice').mockImplementation(async (_, signal) => {
      seen = signal
      await new Promise((resolve) => setTimeout(resolve, 20))
      return { ...slice, scanned: 2_000 }
    })
    const { page, complaints, close } = await open('range=30d&where=score+%3E+1000')
    await page.getByText(/of the time looked at, [\d,]+,000 evaluations/).waitFor()
    expect(await page.getByText('No evaluation fulfils this').count()).toBe(0)
    await press(page, 'Stop')

    await page.getByText('Stopped: this is not all.').waitFor()
    await eventually(() => seen?.aborted === true)
    expect(await page.getByText('No evaluation fulfils this').count()).toBe(0)
    vi.restoreAllMocks()
    await press(page, 'Search again')
    await page.getByText('No evaluation fulfils this').waitFor()
    expect(complaints()).toEqual([])
    await close()
  })
})
