/** The console in a Chromium of this machine, as somebody sees it who is signed in. */

import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, type Locator, type Page } from 'playwright-core'

/** Where Linux distributions put it. */
const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** The program, as `CHROMIUM` or this machine says; undefined when there is none. */
export const chromiumProgram =
  process.env['CHROMIUM'] || places.find((place) => existsSync(place)) || undefined

export interface Site {
  readonly browser: Browser
  readonly url: string
  readonly cookie: { readonly name: string; readonly value: string }
}

/** Starts the browser and exchanges the token for a session; root may start it as well. */
export async function openSite(port: number, token: string, program: string): Promise<Site> {
  const url = `http://127.0.0.1:${port}`
  const response = await fetch(`${url}/console/session`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, origin: url },
  })
  const set = response.headers.get('set-cookie') ?? ''
  const [, name = '', value = ''] = /^([^=]+)=([^;]+)/.exec(set) ?? []
  if (name === '') throw new Error(`no session: ${response.status} ${await response.text()}`)
  const args = ['--no-sandbox', '--disable-dev-shm-usage']
  const browser = await chromium.launch({ executablePath: program, args })
  return { browser, url, cookie: { name, value } }
}

/** What was seen in a page, see `pageTimes.js`. */
export interface PageTimes {
  readonly lcpMs: number
  readonly shifts: readonly { readonly value: number; readonly sources: readonly string[] }[]
  readonly interactions: Readonly<Record<string, { readonly ms: number; readonly what: string }>>
  /** From an input to its answer. */
  readonly waitsMs: readonly number[]
  readonly rowsMax: number
}

/** A page in a new profile on a processor so many times slower than this one, once all of it is there. */
export async function openPage(
  { browser, url, cookie }: Site,
  path: string,
  { slowdown }: { readonly slowdown: number },
): Promise<Page> {
  const viewport = { width: 1_280, height: 800 }
  const context = await browser.newContext({ viewport, locale: 'en-GB' })
  // a busy machine is no failure
  context.setDefaultTimeout(120_000)
  const kept = { ...cookie, url: `${url}/console/api`, httpOnly: true }
  await context.addCookies([{ ...kept, sameSite: 'Strict' }])
  const page = await context.newPage()
  await page.addInitScript({ path: fileURLToPath(new URL('./pageTimes.js', import.meta.url)) })
  const devtools = await context.newCDPSession(page)
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
  await page.goto(`${url}/console${path}`)
  await settled(page)
  return page
}

/** Resolves once nothing of the page is loading. */
export async function settled(page: Page): Promise<void> {
  await page.evaluate('pageTimes.settled()')
  await page.waitForLoadState('networkidle')
}

/** Resolves once so many inputs were answered. */
export function answered(page: Page, count: number): Promise<void> {
  return page.evaluate(`pageTimes.answered(${count})`)
}

export function readTimes(page: Page): Promise<PageTimes> {
  return page.evaluate<PageTimes>('pageTimes.read')
}

/** A click without what the driver does in the page around one of its own. */
export async function press(target: Locator): Promise<void> {
  await target.scrollIntoViewIfNeeded()
  const box = await target.boundingBox()
  if (!box) throw new Error(`not in the page: ${target}`)
  // of a link of two lines the middle is between them
  await target.page().mouse.click(box.x + box.width / 4, box.y + box.height / 4)
}

/** What the scripts of the page hold, in MB, without garbage. */
export async function heldMegabytes(page: Page): Promise<number> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Performance.enable')
  await devtools.send('HeapProfiler.collectGarbage')
  const { metrics } = await devtools.send('Performance.getMetrics')
  return (metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? Number.NaN) / 1e6
}
