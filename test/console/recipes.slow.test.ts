/** What authors do with recipes in the console: weigh, save, shadow, backtest, and take a version back. */

import type { Browser, Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { describeInChromium, startChromium } from '../sdk/support/chromium.ts'
import { operatorToken, sendAs } from '../support/openVigil.ts'
import { openShop, visit } from './support/openConsole.ts'
import { playTrials, type Trials } from './support/playTrials.ts'

type Shop = Awaited<ReturnType<typeof openShop>> & Trials

const management = '/v2/watch/management'

describeInChromium('recipes in the console', () => {
  let browser: Browser
  let shop: Shop

  beforeAll(async () => {
    browser = await startChromium()
    shop = await playTrials(await openShop({ perDay: 6 }), 24)
    return async () => {
      await browser.close()
      await shop.close()
    }
  })

  const address = (path: string) => `${shop.url}/console${path}`
  const signedIn = (options = {}) => visit(browser, shop, { token: shop.token, ...options })
  const read = async (path: string) => (await shop.send('GET', management + path)).body
  const put = async (id: string, change: object) => {
    const { id: _, version_id: _version, ...content } = await read(`/recipes/${id}`)
    await shop.send('PUT', `${management}/recipes/${id}`, { ...content, ...change })
  }
  /** What stands beside the weights when nothing is under way. */
  const turnedOf = async (page: Page) => {
    await page.locator('[aria-busy=false]').waitFor()
    const text = (await page.locator('[aria-busy=false]').textContent()) ?? ''
    return /turns (\d+) to flag and (\d+) to pass/.exec(text)?.slice(1).map(Number)
  }

  test('what a moved threshold turns stands beside it, as the preview says, and is kept until it is saved', async () => {
    const { page, complaints, close } = await signedIn()
    await page.goto(address(`/recipes/${shop.recipe}`))
    expect(await turnedOf(page)).toEqual([0, 0])

    await page.getByLabel('Flags from', { exact: true }).focus()
    for (let steps = 0; steps < 30; steps += 1) await page.keyboard.press('ArrowLeft')
    await page.locator('[aria-busy=true]').waitFor()
    const turned = await turnedOf(page)
    // once the page has asked: an account has one such question at a time
    const { body } = await shop.send('POST', `${management}/backtests/preview`, {
      flow_id: shop.signupFlow,
      recipe_id: shop.recipe,
      threshold: 20,
    })
    const { to_flag, to_pass } = body['by_draft'] as Readonly<Record<string, number>>
    expect(to_flag).toBeGreaterThan(0)
    expect(turned).toEqual([to_flag, to_pass])

    await page.reload()
    await page.getByText('Your unsaved changes of before are back.').waitFor()
    expect(await page.getByLabel('Flags from, as a number').inputValue()).toBe('20')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved as a new version.').waitFor()
    expect(await read(`/recipes/${shop.recipe}`)).toMatchObject({ threshold: 20 })
    expect(complaints()).toEqual([])
    await put(shop.recipe, { threshold: 50 })
    await close()
  })

  test('when somebody else saved meanwhile, both are shown and none is lost', async () => {
    const { page, close } = await signedIn()
    await page.goto(address(`/recipes/${shop.recipe}`))
    await page.getByLabel('Flags from, as a number').fill('44')
    await put(shop.recipe, { threshold: 55 })

    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Somebody else saved this recipe meanwhile' })
    await dialog.locator('ins').first().waitFor()
    expect(await dialog.locator('pre ins').allTextContents()).toEqual(['44'])
    expect(await dialog.locator('pre del').allTextContents()).toEqual(['55'])
    await page.keyboard.press('Escape')
    expect(await page.getByLabel('Flags from, as a number').inputValue()).toBe('44')
    expect(await read(`/recipes/${shop.recipe}`)).toMatchObject({ threshold: 55 })

    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await dialog.getByRole('button', { name: 'Save mine over theirs' }).click()
    await page.getByText('Saved as a new version.').waitFor()
    expect(await read(`/recipes/${shop.recipe}`)).toMatchObject({ threshold: 44 })
    await put(shop.recipe, { threshold: 50 })
    await close()
  })

  test('a version shows the verdicts it gave, and is current again after what that turns was shown', async () => {
    const versions = (await read(`/recipes/${shop.recipe}/versions`))['versions'] as readonly {
      readonly version_id: string
      readonly rules: readonly unknown[]
    }[]
    const first = versions.at(-1)
    const { text } = await shop.send('GET', `/v2/watch/versions/${first?.version_id}/verdicts`)
    const given = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    const { to_pass } = given.at(-1).result
    const { page, complaints, close } = await signedIn()
    await page.goto(address(`/versions/recipes/${shop.recipe}?version=${first?.version_id}`))

    await page.getByText('evaluations ran it').waitFor()
    const card = page.getByRole('region', { name: /Verdicts of this version/ })
    expect(await card.textContent()).toContain(`${to_pass} to pass`)
    expect(to_pass).toBeGreaterThan(0)
    const shown = card.locator('tbody tr')
    expect(await shown.count()).toBe(Math.min(8, to_pass))

    await page.getByRole('button', { name: 'Make current again' }).last().click()
    const dialog = page.getByRole('dialog', { name: /current again/ })
    await dialog.getByText(/it turns \d+ to flag/).waitFor()
    expect(Number(/turns (\d+) to flag/.exec((await dialog.textContent()) ?? '')?.[1])).toBe(
      to_pass,
    )
    await dialog.getByRole('button', { name: 'Make current', exact: true }).click()
    await page.getByText('Restored').waitFor()
    expect(await read(`/recipes/${shop.recipe}`)).toMatchObject({ rules: first?.rules })
    expect(complaints()).toEqual([])
    await close()
  })

  test('of rules and flows too', async () => {
    const [rule] = (await read('/rules'))['rules'] as readonly { readonly id: string }[]
    await shop.send('PUT', `${management}/rules/${rule?.id}`, {
      name: 'Never',
      expression: '1 == 2',
    })
    const { page, complaints, close } = await signedIn()
    for (const path of [`rules/${rule?.id}`, `flows/${shop.signupFlow}`]) {
      await page.goto(address(`/versions/${path}`))
      await page.getByRole('button', { name: 'Make current again' }).first().click()
      const dialog = page.getByRole('dialog', { name: /current again/ })
      await dialog
        .getByText(/it turns \d+ to flag/)
        .first()
        .waitFor()
      expect(await dialog.getByRole('alert').count()).toBe(0)
    }
    expect(complaints()).toEqual([])
    await close()
  })

  test('a backtest is started from the recipe, and goes on from the tab that started it', async () => {
    const { page, complaints, close } = await signedIn()
    await page.goto(address(`/recipes/${shop.recipe}`))
    await page.getByLabel('Flags from, as a number').fill('15')
    await page.getByRole('button', { name: 'Start the backtest' }).click()
    await page.waitForURL(/backtests\/bkt_/)
    await page.getByText('done', { exact: true }).waitFor()
    await page.getByRole('heading', { name: 'What it found', exact: true }).waitFor()
    const id = page.url().split('/').at(-1) ?? ''
    const report = await read(`/backtests/${id}`)
    expect(await page.locator('main').textContent()).toContain(
      `Of ${report['evaluations']} evaluations`,
    )
    const rows = page.getByRole('table', { name: 'Verdicts of the draft' }).locator('tbody tr')
    expect(await rows.count()).toBe((report['table'] as readonly unknown[]).length)

    await page.route(`**/api/**/backtests/${id}`, (route) =>
      route.fulfill({ json: { ...report, state: 'CANCELLED', done: 0.5 } }),
    )
    await page.reload()
    const asked = page.waitForRequest(/resume$/)
    await page.getByRole('button', { name: 'Go on' }).click()
    expect((await asked).postDataJSON()).toMatchObject({ recipe_id: shop.recipe, threshold: 15 })
    expect(complaints().filter((line) => !line.includes('409'))).toEqual([])
    await close()

    const other = await signedIn()
    await other.page.route(`**/api/**/backtests/${id}`, (route) =>
      route.fulfill({ json: { ...report, state: 'INTERRUPTED', done: 0.5 } }),
    )
    await other.page.goto(address(`/backtests/${id}`))
    await other.page.getByText(`npx vigil backtest FILE --resume ${id}`).waitFor()
    await other.close()
  })

  test('a shadow is added to the flow, and compared once both have run', async () => {
    const { page, complaints, close } = await signedIn()
    await page.goto(address(`/recipes/${shop.recipe}`))
    await page.getByRole('button', { name: 'Run it as a shadow' }).click()
    await page.getByText('No evaluation ran both yet').waitFor()
    const shadow = new URL(page.url()).searchParams.get('with') ?? ''
    expect(await read(`/recipes/${shadow}`)).toMatchObject({ status: 'SHADOW' })
    expect((await read(`/flows/${shop.signupFlow}`))['recipes']).toContain(shadow)

    await shop.send('POST', '/v2/watch/eval', {
      flow_id: shop.signupFlow,
      target: { phone_number: '+33612345678' },
    })
    shop.vigil.setTime(Date.now() + 120_000)
    await page.getByRole('button', { name: 'Ask again' }).click()
    await page.getByText('They agree in 100% of 1 evaluations').waitFor()
    expect(complaints()).toEqual([])
    await close()
  })

  test('scopes say what is shown, and hostile names are text', async () => {
    const account = (await shop.send('GET', '/v2/whoami')).body['account_id']
    const { body: issued } = await sendAs(shop.vigil, operatorToken)(
      'POST',
      `/v2/operator/accounts/${account}/tokens`,
      { scopes: ['audit'] },
    )
    const name = '<img src=x onerror="globalThis.ran=1">'
    await put(shop.shadow, { name })
    const { page, complaints, close } = await visit(browser, shop, {
      token: String(issued['token']),
      width: 390,
    })
    await page.goto(address(`/recipes/${shop.shadow}`))
    await page.getByRole('heading', { name: 'onerror' }).waitFor()
    expect(await page.getByLabel('Flags from, as a number').isDisabled()).toBe(true)
    expect(await page.getByRole('button', { name: 'Save', exact: true }).count()).toBe(0)
    expect(await page.getByText('On the past').count()).toBe(0)
    await page.goto(address('/backtests'))
    await page.getByText('This token may not see: Backtests').waitFor()
    await page.goto(address('/recipes'))
    await page.getByText('onerror').first().waitFor()
    expect(await page.evaluate(() => 'ran' in globalThis)).toBe(false)
    expect(complaints()).toEqual([])
    await close()
  })
})
