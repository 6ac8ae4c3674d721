/** The published browser SDK, unmodified, in a real Chromium, on a page of another site than the service. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type StartedVigil, startVigil } from '../support/startedVigil.ts'
import { findChromium, startChromium } from './support/chromium.ts'
import { servePage } from './support/servePage.ts'

const operatorToken = 'an-operator-token-for-these-tests-only'
const chromium = findChromium()
const isRequired = process.env['CHROMIUM_REQUIRED'] === 'true'

type Json = Record<string, unknown>
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
  let account: string
  let key: Json

  const ask = async (path: string, body: object, token = operatorToken): Promise<Json> => {
    const answer = await fetch(`${vigil.url}${path}`, {
      method: path.endsWith('/access') ? 'PUT' : 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return answer.json() as Promise<Json>
  }

  /** Dispatches from the page; what the SDK throws is answered as its message. */
  const dispatch = (sdkKey: unknown, options: object = {}): Promise<string> =>
    page.evaluate(
      async ([given, asked]) => {
        const { dispatch: send } = globalThis as unknown as { dispatch: Dispatch }
        return send(String(given), asked as object).catch(({ message }: Error) => message)
      },
      [sdkKey, { url: vigil.url, ...options }] as const,
    )

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'vigil-chromium-'))
    vigil = await startVigil(folder, { VIGIL_OPERATOR_TOKEN: operatorToken })
    account = String((await ask('/v2/operator/accounts', { name: 'Shop' }))['account_id'])
    await ask(`/v2/operator/accounts/${account}/access`, { authoring: true })
    key = await ask(`/v2/operator/accounts/${account}/sdk-keys`, {})
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
    const dispatch_id = await dispatch(key['sdk_key'], { appVersion: '4.2.0' })
    expect(dispatch_id).toMatch(/^[0-9a-f-]{36}$/)

    const scopes = ['author', 'eval', 'analyse']
    const { token } = await ask(`/v2/operator/accounts/${account}/tokens`, { scopes })
    const author = async (kind: string, body: object) =>
      (await ask(`/v2/watch/management/${kind}`, body, String(token)))['id']
    const expression = 'signal.device_platform == "web" && signal.user_agent.contains("Chrome/")'
    const rule_id = await author('rules', { name: 'a browser', expression })
    const rules = [{ rule_id, weight: 60 }]
    const recipe = await author('recipes', { name: 'r', status: 'LIVE', threshold: 50, rules })
    const flow_id = await author('flows', { name: 'f', recipes: [recipe] })
    const target = { phone_number: '+33612345678' }
    const evaluated = await ask('/v2/watch/eval', { flow_id, target, dispatch_id }, String(token))

    expect(evaluated).toMatchObject({ verdict: 'FLAG', recipes: [{ partial_evidence: false }] })
    const shown = await fetch(`${vigil.url}/v2/watch/evaluations/${String(evaluated['id'])}`, {
      headers: { authorization: `Bearer ${String(token)}` },
    })
    const { evidence } = (await shown.json()) as { evidence: { name: string; value: unknown }[] }
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
    expect(await dispatch(key['sdk_key'])).toMatch(/^[0-9a-f-]{36}$/)
  })
})
