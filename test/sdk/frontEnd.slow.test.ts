/** The published browser SDK, unmodified, in a real Chromium, on a page of another site than the service. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { doorAt } from '../http/support/sendRequest.ts'
import { type Customer, openCustomer, operatorToken, sendAs } from '../support/openVigil.ts'
import { type StartedVigil, startVigil } from '../support/startedVigil.ts'
import { findChromium, startChromium } from './support/chromium.ts'
import { servePage } from './support/servePage.ts'

const chromium = findChromium()
const isRequired = process.env['CHROMIUM_REQUIRED'] === 'true'

type Dispatch = (key: string, options: object) => Promise<string>

const missing =
  'NOT TESTED: the browser SDK in a real Chromium, since there is none. Install it (apt-get install chromium) or set CHROMIUM.'

/** Says by name what is not tested, and fails where it has to be: this file never passes in silence. */
if (chromium === undefined) {
  if (isRequired) throw new Error(missing)
  process.stderr.write(`\n${missing}\n\n`)
}
const unlessMissing = describe.skipIf(chromium === undefined)

unlessMissing('the browser SDK in a real Chromium (apt-get install chromium, or CHROMIUM)', () => {
  let folder: string
  let vigil: StartedVigil
  let shop: Awaited<ReturnType<typeof servePage>>
  let browser: Browser
  let page: Page
  let customer: Customer
  let key: string

  /** Dispatches from the page; what the SDK throws is answered as its message. */
  const dispatch = (sdkKey: string, options: object = {}): Promise<string> =>
    page.evaluate(
      async ([given, asked]) => {
        const { dispatch: send } = globalThis as unknown as { dispatch: Dispatch }
        return send(given, asked).catch(({ message }: Error) => message)
      },
      [sdkKey, { url: vigil.url, ...options }] as const,
    )

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'vigil-chromium-'))
    vigil = await startVigil(folder, { VIGIL_OPERATOR_TOKEN: operatorToken })
    const door = doorAt(Number(new URL(vigil.url).port))
    customer = await openCustomer({ door })
    const keys = `/v2/operator/accounts/${customer.accountId}/sdk-keys`
    key = String((await sendAs({ door }, operatorToken)('POST', keys, {})).body['sdk_key'])
    shop = await servePage()
    browser = await startChromium(chromium ?? '')
    page = await browser.newPage()
    await page.goto(shop.url)
    await page.waitForFunction(() => 'dispatch' in globalThis)
  })

  afterAll(async () => {
    await browser?.close()
    await shop?.close()
    await vigil?.stop('SIGTERM')
    rmSync(folder, { recursive: true, force: true })
  })

  test('dispatches, and an evaluation reads what the browser is', async () => {
    const dispatch_id = await dispatch(key, { appVersion: '4.2.0' })
    expect(dispatch_id).toMatch(/^[0-9a-f-]{36}$/)

    const flow = await customer.flowOf(
      'signal.device_platform == "web" && signal.user_agent.contains("Chrome/")',
    )
    const { body: evaluated } = await customer.evaluate(flow, { dispatch_id })

    expect(evaluated).toMatchObject({ verdict: 'FLAG', recipes: [{ partial_evidence: false }] })
    const shown = await customer.send('GET', `/v2/watch/evaluations/${evaluated['id']}`)
    const evidence = shown.body['evidence'] as { name: string; value: unknown }[]
    const seen = Object.fromEntries(evidence.map(({ name, value }) => [name, value]))
    expect(seen).toMatchObject({
      'signal.device_platform': 'web',
      'signal.app_version': '4.2.0',
      'signal.user_agent': await page.evaluate(
        () => (globalThis as unknown as { navigator: { userAgent: string } }).navigator.userAgent,
      ),
    })
  })

  test('is told when its key is not good, and goes on', async () => {
    expect(await dispatch('made up')).toMatch(/401/)
    expect(await dispatch(key)).toMatch(/^[0-9a-f-]{36}$/)
  })
})
