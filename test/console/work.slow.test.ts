/** What people do in the console, with the keyboard alone where that is said, and what they must not lose. */

import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { describeInChromium, startChromium } from '../sdk/support/chromium.ts'
import { operatorToken, sendAs } from '../support/openVigil.ts'
import { openShop, type Shop, visit } from './support/openConsole.ts'

/** Tab until the element of this name has the focus; a trap never gets there. */
async function tabTo(
  page: Page,
  name: string | RegExp,
  role: 'button' | 'link' | 'textbox' | 'combobox' = 'button',
) {
  const wanted = page.getByRole(role, { name, exact: typeof name === 'string' }).first()
  for (let steps = 0; steps < 80; steps += 1) {
    if (await wanted.evaluate((element) => element.matches(':focus')).catch(() => false)) {
      const outline = await wanted.evaluate((element) => {
        const { getComputedStyle } = globalThis as unknown as {
          getComputedStyle: (of: unknown) => { outlineStyle: string }
        }
        return getComputedStyle(element).outlineStyle
      })
      expect(outline).not.toBe('none')
      return
    }
    await page.keyboard.press('Tab')
  }
  throw new Error(`${name} cannot be reached with Tab`)
}

describeInChromium('work in the console', () => {
  let browser: Browser
  let shop: Shop

  beforeAll(async () => {
    browser = await startChromium()
    shop = await openShop({ perDay: 6 })
    return async () => {
      await browser.close()
      await shop.close()
    }
  })

  const address = (path: string) => `${shop.url}/console${path}`
  const signedIn = (options = {}) => visit(browser, shop, { token: shop.token, ...options })
  const rule = async (name: string, expression: string) => {
    const { body } = await shop.send('POST', '/v2/watch/management/rules', { name, expression })
    return String(body['id'])
  }
  const nameOf = async (id: string) =>
    (await shop.send('GET', `/v2/watch/management/rules/${id}`)).body
  const labelsOf = async (label: string) =>
    (await shop.send('GET', `/v2/watch/event?label=${label}`)).body['events']
  /** The editor stands in a shadow root, which roles see into. */
  const condition = (page: Page) => page.getByRole('textbox', { name: 'Condition' })

  test('with the keyboard alone: sign in, write a rule, try it, save it, restore it, replay', async () => {
    const { page, complaints, close } = await visit(browser, shop)
    await page.goto(address('/rules/new'))

    // the field has the focus when the page comes
    await page.getByLabel('API token').waitFor()
    await page.keyboard.insertText(shop.token)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'New rule' }).waitFor()
    expect(page.url()).toBe(address('/rules/new'))

    await tabTo(page, 'Name', 'textbox')
    await page.keyboard.insertText('By keyboard')
    await page.keyboard.press('Tab')
    await page.keyboard.insertText('double(signal.ext.amount) > 100.0')
    await page.getByLabel('signal.ext.amount').waitFor()
    await tabTo(page, 'signal.ext.amount', 'textbox')
    await page.keyboard.insertText('900')
    await page.getByText('Triggered', { exact: true }).first().waitFor()
    await tabTo(page, 'Try')
    await page.keyboard.press('Enter')
    await page.getByText('This text').waitFor()
    await page.reload()
    await page.getByText('Your unsaved text of before is back.').waitFor()
    await page.getByText('on the sample').waitFor()
    await tabTo(page, 'Save')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'By keyboard' }).waitFor()
    const id = page.url().split('/').at(-1) ?? ''

    await shop.send('PUT', `/v2/watch/management/rules/${id}`, {
      name: 'By keyboard',
      expression: '1 == 2',
    })
    await page.reload()
    await tabTo(page, 'Versions', 'link')
    await page.keyboard.press('Enter')
    await page.getByText('Make current again').waitFor()
    await tabTo(page, 'Make current again…')
    await page.keyboard.press('Enter')
    await page.getByText('Make current', { exact: true }).waitFor()
    await tabTo(page, 'Make current')
    await page.keyboard.press('Enter')
    await page.getByText('Restored').waitFor()
    expect(await nameOf(id)).toMatchObject({ expression: 'double(signal.ext.amount) > 100.0' })
    // the editor has the restored text, not the one it had as unsaved
    await tabTo(page, 'To the rule', 'link')
    await page.keyboard.press('Enter')
    await page.locator('.cm-content').getByText('double(signal.ext.amount) > 100.0').waitFor()
    expect(await page.getByText('Discard changes').count()).toBe(0)

    await page.goto(address(`/evaluations/${shop.evaluations.at(-1)}`))
    await page.getByRole('button', { name: 'Replay' }).waitFor()
    await tabTo(page, 'Replay')
    await page.keyboard.press('Enter')
    await page.getByText('recomputed from the record').waitFor()
    expect(await page.locator('.stamp').textContent()).toContain('Match')
    expect(complaints()).toEqual([])
    await close()
  })

  test('a mistake is told where it is, and what was meant; only the last text is answered', async () => {
    const { page, close } = await signedIn()
    await page.goto(address('/rules/new'))
    await condition(page).fill('signal.cart_total == "1"')

    await page.getByText("undeclared reference to 'signal.cart_total'").first().waitFor()
    expect(await page.locator('.check').textContent()).toContain(
      "did you mean 'signal.ext.cart_total'?",
    )
    await condition(page).fill('signal.ext.cart_total == "1"')
    await page.getByText('needs signal.ext.cart_total').waitFor()
    expect(await page.locator('.check').textContent()).not.toContain('undeclared')
    // a missing name is dotted in the text, and said in the tree
    await page.locator('.cel-missing').waitFor()
    expect(await page.locator('.cel-missing').count()).toBe(1)
    expect(await page.locator('.part.missing').first().textContent()).toContain('missing')
    await close()
  })

  test('what is typed key by key stands there, a name is completed, and discarding brings the saved text back', async () => {
    const id = await rule('Typed', '1 == 1')
    const { page, close } = await signedIn()
    await page.goto(address(`/rules/${id}`))
    await condition(page).fill('')
    await condition(page).pressSequentially('double(signal.ext.amount) > 100.0 && signal.exi')
    // by mouse: Enter takes none that has just appeared
    await page.getByRole('option', { name: /signal\.existing_user/ }).click()
    await page.getByText('on the sample').waitFor()

    const written = 'double(signal.ext.amount) > 100.0 && signal.existing_user'
    expect(await condition(page).textContent()).toBe(written)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved as a new version.').waitFor()
    expect(await nameOf(id)).toMatchObject({ expression: written })
    await condition(page).fill('2 == 2')
    await page.getByRole('button', { name: 'Discard changes' }).click()
    expect(await condition(page).textContent()).toBe(written)
    await close()
  })

  test('when somebody else saved meanwhile, both texts are shown and none is lost', async () => {
    const id = await rule('Contested', '1 == 1')
    const { page, close } = await signedIn()
    await page.goto(address(`/rules/${id}`))
    await condition(page).fill('2 == 2')
    await page.getByText('on the sample').waitFor()
    await shop.send('PUT', `/v2/watch/management/rules/${id}`, {
      name: 'Contested',
      expression: '3 == 3',
    })

    await page.getByRole('button', { name: 'Save' }).click()
    const dialog = page.getByRole('dialog', { name: 'Somebody else saved this rule meanwhile' })
    await dialog.locator('.diff ins').first().waitFor()
    expect(await dialog.locator('.diff del').allTextContents()).toEqual(['3', '3'])
    await page.keyboard.press('Escape')
    expect(await condition(page).textContent()).toContain('2 == 2')
    expect(await nameOf(id)).toMatchObject({ expression: '3 == 3' })

    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Save mine over theirs' }).click()
    await page.getByText('Saved as a new version.').waitFor()
    expect(await nameOf(id)).toMatchObject({ expression: '2 == 2' })
    await close()
  })

  test('a text can be tried while its sample is checked, and is when the service is too busy at first', async () => {
    const id = await rule('Busy', 'signal.ext.amount == "900"')
    const { page, complaints, close } = await signedIn()
    await page.goto(address(`/rules/${id}`))
    await page.getByText('on the sample').waitFor()
    let release = (): void => undefined
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/rules/test', (route) => released.then(() => route.continue()))
    await page.route(
      '**/backtests/preview*',
      (route) => route.fulfill({ status: 429, headers: { 'retry-after': '0' }, json: {} }),
      { times: 1 },
    )
    await page.getByLabel('signal.ext.amount').fill('900')
    await page.getByText('Checking…').waitFor()

    await page.getByRole('button', { name: 'Try', exact: true }).click()
    await page.getByText('This text').waitFor()

    release()
    await page.locator('.check').getByText('Triggered', { exact: true }).waitFor()
    expect(complaints()).toEqual([])
    await close()
  })

  test('a rule is put into a recipe after the verdicts that it turns were shown', async () => {
    const id = await rule('Always', '1 == 1')
    const { page, close } = await signedIn()
    await page.goto(address(`/rules/${id}`))
    await page.getByLabel('Recipe').selectOption({ label: 'Automated device (live, threshold 60)' })
    await page.getByLabel('Weight').fill('100')
    await page.getByRole('button', { name: 'Show the verdicts it turns' }).click()
    await page.getByText(/it turns \d+ to flag/).waitFor()
    const turned = Number(
      /turns (\d+) to flag/.exec((await page.locator('.put').textContent()) ?? '')?.[1],
    )
    expect(turned).toBeGreaterThan(0)

    await page.getByRole('button', { name: 'Put into the recipe' }).click()
    await page.getByText('It runs in Automated device from now on.').waitFor()
    const { body } = await shop.send('GET', `/v2/watch/management/rules/${id}/usage`)
    expect(body['recipes']).toMatchObject([{ name: 'Automated device', weight: 100 }])
    await close()
  })

  test('what is listed is in the address: reload, Back and a link restore it, and what means nothing is told', async () => {
    const { page, close } = await signedIn()
    await page.goto(address('/evaluations'))
    const rows = page.getByRole('table', { name: 'Evaluations', exact: true }).locator('tbody tr')
    await rows.first().waitFor()
    await page.getByLabel('Verdict').selectOption('FLAG')
    await page.waitForURL(/verdict=FLAG/)
    await page.getByLabel('Search', { exact: true }).fill('user')
    await page.getByLabel('Search', { exact: true }).fill('email_domain = mailinator.com')
    await page.keyboard.press('Enter')
    await page.waitForURL(/where=email_domain/)
    await rows.first().waitFor()
    const found = await rows.count()
    expect(await rows.locator('td[data-title=Verdict]').allTextContents()).toEqual(
      Array(found).fill('Flag'),
    )

    await page.reload()
    await rows.first().waitFor()
    expect(await rows.count()).toBe(found)
    expect(await page.getByLabel('Verdict').inputValue()).toBe('FLAG')
    await rows.first().getByRole('link').click()
    await page.getByRole('heading', { name: 'Evidence' }).waitFor()
    await page.goBack()
    await rows.first().waitFor()
    expect(await page.getByLabel('Search', { exact: true }).inputValue()).toBe(
      'email_domain = mailinator.com',
    )
    await page.goBack()
    await page.waitForURL((url) => !url.search.includes('where'))
    await page.waitForFunction(() => {
      const { document } = globalThis as unknown as {
        document: { querySelector: (of: string) => { value: string } | null }
      }
      return document.querySelector('input[type=search]')?.value === ''
    })

    await page.goto(address('/evaluations?verdict=MAYBE&colour=blue'))
    await page.getByText('Not understood in the address, and left out: verdict, colour.').waitFor()
    await close()
  })

  test('the search box opens an evaluation and finds a person', async () => {
    const { page, close } = await signedIn()
    await page.goto(address('/evaluations'))
    await page.getByLabel('Search', { exact: true }).fill('+33 6 12 34 56 78')
    await page.keyboard.press('Enter')
    const rows = page.getByRole('table', { name: 'Evaluations', exact: true }).locator('tbody tr')
    await page.waitForURL(/where=phone/)
    await rows.first().waitFor()
    expect(await rows.count()).toBe(1)
    const id = String(shop.evaluations.at(-1))
    await page.getByLabel('Search', { exact: true }).fill(id)
    await page.keyboard.press('Enter')
    await page.waitForURL(address(`/evaluations/${id}`))
    await close()
  })

  test('the token stands nowhere in the browser, and its revocation ends the session and no text', async () => {
    const account = (await shop.send('GET', '/v2/whoami')).body['account_id']
    const operate = sendAs(shop.vigil, operatorToken)
    const { body: issued } = await operate('POST', `/v2/operator/accounts/${account}/tokens`, {
      scopes: ['author', 'analyse'],
    })
    const token = String(issued['token'])
    const { page, close } = await visit(browser, shop)
    await page.goto(address('/rules/new'))
    await page.getByLabel('API token').fill(token)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'New rule' }).waitFor()

    const kept = await page.evaluate(() => {
      const { localStorage, sessionStorage, document, location } = globalThis as unknown as {
        localStorage: object
        sessionStorage: object
        document: { documentElement: { outerHTML: string }; cookie: string }
        location: { href: string }
      }
      return JSON.stringify([
        { ...localStorage },
        { ...sessionStorage },
        document.documentElement.outerHTML,
        document.cookie,
        location.href,
      ])
    })
    expect(kept).not.toContain(token.slice(-43))
    expect(kept).not.toContain('vgl_0')

    await page.getByLabel('Name').fill('Half written')
    await operate('DELETE', `/v2/operator/accounts/${account}/tokens/${issued['token_id']}`)
    await condition(page).fill('1 == 1')
    const dialog = page.getByRole('dialog', { name: 'Sign in again' })
    await dialog.waitFor()
    await dialog.getByLabel('API token').fill(shop.token)
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await page.getByLabel('Name').inputValue()).toBe('Half written')
    expect(await condition(page).textContent()).toContain('1 == 1')

    await page.getByText('Demo', { exact: true }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in to Vigil' }).waitFor()
    expect(
      await page.evaluate(() =>
        Object.keys((globalThis as unknown as { sessionStorage: object }).sessionStorage),
      ),
    ).toEqual([])
    await close()
  })

  test('new evaluations are counted, and shown when they are asked for', async () => {
    const { page, close } = await signedIn()
    await page.goto(address('/evaluations'))
    const rows = page.getByRole('table', { name: 'Evaluations', exact: true }).locator('tbody tr')
    await rows.first().waitFor()
    const [first] = await rows.allTextContents()
    const followed = page.waitForResponse(/\/v2\/watch\/evaluations\?limit=1$/)
    await page.getByLabel('Follow').check()
    await followed
    shop.vigil.setTime(Date.now())
    await shop.send('POST', '/v2/watch/eval', {
      flow_id: shop.signupFlow,
      target: { phone_number: '+33600000001' },
    })

    const show = page.getByRole('button', { name: '1 new: show' })
    await show.waitFor()
    expect((await rows.allTextContents())[0]).toBe(first)
    await show.click()
    await page.getByText('+33600000001').waitFor()
    await close()
  })

  test('screens show what the scopes of the token allow, and an auditor no person', async () => {
    const account = (await shop.send('GET', '/v2/whoami')).body['account_id']
    const tokenWith = async (scope: string) => {
      const path = `/v2/operator/accounts/${account}/tokens`
      return sendAs(shop.vigil, operatorToken)('POST', path, { scopes: [scope] })
    }
    const { body: auditor } = await tokenWith('audit')
    const { body: caller } = await tokenWith('eval')
    const audit = await signedIn({ token: auditor['token'] })
    await audit.page.goto(address(`/evaluations/${shop.evaluations.at(-1)}`))
    await audit.page.getByText('sealed: the token may not see persons').first().waitFor()
    expect(await audit.page.locator('body').textContent()).not.toMatch(
      /\+33612345678|Who has seen them/,
    )
    expect(await audit.page.getByRole('navigation').getByRole('link').allTextContents()).toEqual([
      'Overview',
      'Rules',
      'Recipes',
      'Flows',
      'Lists',
      'Users',
      'Verification',
      'Audit',
    ])
    expect(audit.complaints()).toEqual([])
    await audit.close()

    const other = await signedIn({ token: caller['token'] })
    await other.page.goto(address('/evaluations'))
    await other.page.getByText('It needs the scope analyse.').waitFor()
    await other.close()
  })

  test('hostile names and values are shown as text, run nothing and widen nothing', async () => {
    const markup = '<img src=x onerror="globalThis.ran=1"><script>globalThis.ran=1</script>'
    const long = 'x'.repeat(8_000)
    const id = await rule(
      `${markup.slice(0, 100)}`,
      `signal.ext.note == ${JSON.stringify(markup)} || signal.ext.note == "\u202Eevil"`,
    )
    await shop.send('POST', '/v2/watch/eval', {
      flow_id: shop.signupFlow,
      target: { phone_number: '+33698765432' },
      signals: { ext: { note: markup, long, shop_country: '\u202E<b>FR</b>' } },
    })
    const { body } = await shop.send('GET', '/v2/watch/evaluations?phone_number=%2B33698765432')
    const [evaluation] = body['evaluations'] as readonly { readonly id: string }[]
    const { page, complaints, close } = await signedIn({ width: 390 })

    for (const path of [
      `/rules/${id}`,
      '/rules',
      `/evaluations/${evaluation?.id}`,
      `/evaluations?where=${encodeURIComponent(markup)}`,
      '/evaluations/%E0%A4%A',
    ]) {
      await page.goto(address(path))
      await page.waitForLoadState('networkidle')
      expect(await page.evaluate(() => 'ran' in globalThis)).toBe(false)
      const width = await page.evaluate(
        () =>
          (globalThis as unknown as { document: { documentElement: { scrollWidth: number } } })
            .document.documentElement.scrollWidth,
      )
      expect([path, width]).toEqual([path, 390])
    }
    await page.goto(address(`/evaluations/${evaluation?.id}`))
    await page.getByText(markup, { exact: true }).first().waitFor()
    expect(complaints()).toEqual([])
    await close()
  })

  test('with the keyboard alone: save a search, take what it finds, answer once, take it back', async () => {
    const { page, complaints, close } = await signedIn()
    await page.goto(address('/evaluations?where=verdict+%3D+FLAG'))

    await tabTo(page, 'Save this search')
    await page.keyboard.press('Enter')
    await page.keyboard.insertText('Flagged <b>"today"</b>')
    await page.keyboard.press('Enter')
    await tabTo(page, 'Review', 'link')
    const { body } = await shop.send('GET', '/v2/watch/management/searches')
    const [search] = body['searches'] as readonly { readonly id: string }[]
    await page.goto(address(`/review?search=${search?.id}`))
    await page.getByText(/waiting$/).waitFor()
    await tabTo(page, 'Take the next')
    await page.keyboard.press('Enter')
    await page.getByText(/left$/).waitFor()
    const evaluation = new URL(page.url()).searchParams.get('on')
    await tabTo(page, /^Note/, 'textbox')
    // letters of a note answer nothing
    await page.keyboard.type('full of it')
    await page.reload()
    await page.getByText(/left$/).waitFor()
    expect(await page.getByLabel(/^Note/).inputValue()).toBe('full of it')
    await page.keyboard.down('f')
    await page.keyboard.down('f')
    await page.keyboard.down('f')
    await page.getByText('On record: fraud').waitFor()
    await page.getByText(/left$/).waitFor()
    await page.keyboard.up('f')
    const answered = await labelsOf('review.fraud')
    await tabTo(page, 'Take it back')
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => url.searchParams.get('on') === evaluation)
    await page.getByText(/left$/).waitFor()

    expect(answered).toMatchObject([{ evaluation_id: evaluation, note: 'full of it' }])
    expect(await labelsOf('review.withdrawn')).toMatchObject([{ evaluation_id: evaluation }])
    expect(complaints()).toEqual([])
    await close()
  })

  test('what somebody else has is told, looking takes nothing, and time that ran out keeps the note', async () => {
    const { page, close } = await signedIn()
    const path = '/v2/watch/management/searches'
    const { body } = await shop.send('POST', path, { name: 'Passed', where: 'verdict = PASS' })
    const at = `/review?search=${String(body['id'])}`
    await page.goto(address(at))
    await page.getByRole('table').getByRole('link').nth(1).click()
    await page.getByText('Only looking at it keeps nobody else from it.').waitFor()
    expect(await page.getByRole('button', { name: /^Fraud/ }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Take it' }).click()
    await page.getByText(/left$/).waitFor()
    await page.getByLabel(/^Note/).fill('kept')
    const now = Date.now()
    await page.clock.setFixedTime(now + 11 * 60_000)

    await page.getByText('Your time ran out').waitFor()

    expect(await page.getByLabel(/^Note/).inputValue()).toBe('kept')
    expect(await page.getByRole('button', { name: /^Fraud/ }).isDisabled()).toBe(true)
    await page.clock.setFixedTime(now)
    await page.getByRole('button', { name: 'Take it again' }).click()
    await page.getByText(/left$/).waitFor()
    await close()
  })

  test('a person is erased after a question, and the certificate says what was forgotten', async () => {
    const target = { phone_number: '+33698760001' }
    await shop.send('POST', '/v2/watch/eval', { flow_id: shop.signupFlow, target })
    const { page, complaints, close } = await signedIn()
    await page.goto(address('/audit?tab=erasure'))
    await page.getByLabel('Phone number or e-mail address').fill(target.phone_number)
    await page.getByRole('button', { name: 'Erase…' }).click()
    await page.getByRole('button', { name: 'Keep' }).click()
    await page.getByRole('button', { name: 'Erase…' }).click()
    await page.getByRole('button', { name: 'Erase for good' }).click()
    await page.getByText('A person known by phone number was erased').waitFor()
    await page.reload()
    await page.getByText('A person known by phone number was erased').waitFor()

    const { body } = await shop.send('GET', '/v2/watch/audit/events?type=PersonErased&limit=10')
    expect(body['events']).toHaveLength(1)
    expect(complaints()).toEqual([])
    await close()
  })

  test('what changed between two times is had as a file, in which no cell is a formula', async () => {
    await rule('=1+1', '1 == 1')
    const { page, complaints, close } = await signedIn()
    await page.goto(address('/audit?tab=differences&from=2026-01-01T00:00:00.000Z'))
    await page.getByText('=1+1').first().waitFor()

    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save as CSV' }).click()

    const text = readFileSync(await (await saved).path(), 'utf8')
    expect(text).toContain('Kind,Id,Name,Change,Changed,By,Field,Before,After')
    expect(text).toContain(",'=1+1,added,")
    expect(complaints()).toEqual([])
    await close()
  })
})
