/** The published browser SDK, unmodified, in a real Chromium, on a page of another site than the service. */

import { beforeAll, expect, test } from 'vitest'
import { operatorToken, sendAs } from '../support/openVigil.ts'
import { describeInChromium, openShopPage } from './support/chromium.ts'

type Dispatch = (key: string, options: object) => Promise<string>

describeInChromium('the browser SDK', () => {
  let shop: Awaited<ReturnType<typeof openShopPage>>
  let key: unknown

  /** Dispatches from the page; what the SDK throws is answered as its message. */
  const dispatch = (sdkKey: unknown, options: object = {}): Promise<string> =>
    shop.page.evaluate(
      async ([given, asked]) => {
        const { dispatch: send } = globalThis as unknown as { dispatch: Dispatch }
        return send(String(given), asked as object).catch(({ message }: Error) => message)
      },
      [sdkKey, { url: shop.vigil.url, ...options }] as const,
    )

  beforeAll(async () => {
    shop = await openShopPage()
    const keys = `/v2/operator/accounts/${shop.customer.accountId}/sdk-keys`
    key = (await sendAs(shop.vigil, operatorToken)('POST', keys, {})).body['sdk_key']
    return shop.close
  })

  test('dispatches, and an evaluation reads what the browser is', async () => {
    const { flowOf, evaluate, send } = shop.customer
    const dispatch_id = await dispatch(key, { appVersion: '4.2.0' })
    expect(dispatch_id).toMatch(/^[0-9a-f-]{36}$/)

    const expression = 'signal.device_platform == "web" && signal.user_agent.contains("Chrome/")'
    const { body } = await evaluate(await flowOf(expression), { dispatch_id })
    const shown = await send('GET', `/v2/watch/evaluations/${body['id']}`)

    expect(body).toMatchObject({ verdict: 'FLAG', recipes: [{ partial_evidence: false }] })
    const { evidence } = shown.body as { evidence: { name: string; value: unknown }[] }
    const seen = Object.fromEntries(evidence.map(({ name, value }) => [name, value]))
    expect(seen).toMatchObject({
      'signal.device_platform': 'web',
      'signal.app_version': '4.2.0',
      'signal.user_agent': await shop.page.evaluate(
        () => (globalThis as unknown as { navigator: { userAgent: string } }).navigator.userAgent,
      ),
    })
  })

  test('is told when its key is not good, and goes on', async () => {
    expect(await dispatch('made up')).toMatch(/401/)
    expect(await dispatch(key)).toMatch(/^[0-9a-f-]{36}$/)
  })
})
