/** A real Chromium of this machine, driven from outside. */

import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { describe } from 'vitest'
import { type Customer, openCustomer, operatorToken } from '../../support/openVigil.ts'
import { type StartedVigil, startVigil } from '../../support/startedVigil.ts'
import { servePage } from './servePage.ts'

/** Where Linux distributions put it. */
const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** The program, as `CHROMIUM` or this machine says; undefined when there is none. */
const program = process.env['CHROMIUM'] || places.find((place) => existsSync(place))
export const hasChromium = program !== undefined

/** Says by name what is not tested without it, and fails where it has to be: no file passes in silence. */
export function describeInChromium(what: string, tests: () => void): void {
  if (!hasChromium) {
    const missing = `NOT TESTED: ${what}. Install Chromium (apt-get install chromium) or set CHROMIUM.`
    if (process.env['CHROMIUM_REQUIRED'] === 'true') throw new Error(missing)
    process.stderr.write(`\n${missing}\n\n`)
  }
  describe.skipIf(!hasChromium)(what, tests)
}

/** Starts it without a window. The page is on this machine, and root may start it as well. */
export function startChromium(): Promise<Browser> {
  const args = ['--no-sandbox', '--disable-dev-shm-usage']
  return chromium.launch({ executablePath: program ?? '', args })
}

interface ShopPage {
  readonly vigil: StartedVigil
  readonly customer: Customer
  readonly url: string
  readonly page: Page
  readonly close: () => Promise<void>
}

/** A page of another site with the SDK, open in Chromium, and a service with a customer. */
export async function openShopPage(): Promise<ShopPage> {
  const folder = mkdtempSync(join(tmpdir(), 'vigil-chromium-'))
  const vigil = await startVigil(folder, { VIGIL_OPERATOR_TOKEN: operatorToken })
  const shop = await servePage()
  const browser = await startChromium()
  const page = await (await browser.newContext({ ignoreHTTPSErrors: true })).newPage()
  await page.goto(shop.url)
  await page.waitForFunction(() => 'dispatch' in globalThis)
  return {
    vigil,
    customer: await openCustomer(vigil),
    url: shop.url,
    page,
    close: async () => {
      await browser.close()
      await shop.close()
      await vigil.stop('SIGTERM')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
