/** What people do with flows, lists, users, the settings of verification and accounts in the console. */

import type { Browser } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { describeInChromium, startChromium } from '../sdk/support/chromium.ts'
import { operatorToken } from '../support/openVigil.ts'
import { openShop, type Shop, visit } from './support/openConsole.ts'
import { type Listed, playLists } from './support/playLists.ts'
import { app, playUsers, type Users } from './support/playUsers.ts'

describeInChromium('flows, lists, users, verification and accounts in the console', () => {
  let browser: Browser
  let shop: Shop & Listed & Users

  beforeAll(async () => {
    browser = await startChromium()
    shop = await playUsers(await playLists(await openShop()))
    return async () => {
      await browser.close()
      await shop.close()
    }
  })

  const address = (path: string) => `${shop.url}/console${path}`
  const entriesOf = async () => {
    const path = `/v2/watch/management/lists/${shop.list}/entries`
    const { body } = await shop.send('GET', path)
    return (body['entries'] as readonly { readonly value: string }[]).map(({ value }) => value)
  }

  test('a file is shown before it is imported, and refused lines are told by their number', async () => {
    const { page, complaints, close } = await visit(browser, shop, { token: shop.token })
    await page.goto(address(`/lists/${shop.list}`))
    await page.getByRole('button', { name: 'Import a file' }).click()
    const text = 'value,reason\nnew@example.com,<img src=x onerror=alert(1)>\nno address,\n'
    const file = { name: 'staff.csv', mimeType: 'text/csv', buffer: Buffer.from(text) }
    await page.getByLabel('File, CSV or NDJSON').setInputFiles(file)
    await page.getByText('new@example.com').waitFor()
    expect(await entriesOf()).not.toContain('new@example.com')

    await page.getByRole('button', { name: 'Import 2 entries' }).click()
    await page.getByText('Line 3').waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('cell', { name: '<img src=x onerror=alert(1)>' }).waitFor()

    expect(await entriesOf()).toContain('new@example.com')
    expect(complaints()).toEqual([])
    await close()
  })

  test('an entry is added and removed, and both stand in its history', async () => {
    const { page, complaints, close } = await visit(browser, shop, { token: shop.token })
    await page.goto(address('/lists/block'))
    await page.getByLabel('Phone number, with +').fill('+33612349999')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByText('+33612349999 is on the list.').waitFor()
    await page.getByRole('button', { name: 'Remove +33612349999' }).click()
    await page.getByLabel('Reason').last().fill('a mistake')
    await page.getByRole('button', { name: 'Remove it' }).click()
    await page.getByRole('button', { name: 'Remove +33612349999' }).waitFor({ state: 'detached' })

    await page.getByLabel('Value to look up').fill('+33612349999')
    await page.getByRole('button', { name: 'Look up' }).click()
    await page.getByRole('cell', { name: 'deleted' }).waitFor()
    await page.getByRole('cell', { name: 'a mistake' }).waitFor()

    expect(complaints()).toEqual([])
    await close()
  })

  test('when somebody else saved the flow meanwhile, both are shown and none is lost', async () => {
    const { page, close } = await visit(browser, shop, { token: shop.token })
    const path = `/v2/watch/management/flows/${shop.signupFlow}`
    const { body: flow } = await shop.send('GET', path)
    await page.goto(address(`/flows/${shop.signupFlow}`))
    await page.getByLabel('Name').fill('Signup of mine')
    await shop.send('PUT', path, { name: 'Signup of theirs', recipes: flow['recipes'] })

    await page.getByRole('button', { name: 'Save' }).click()
    const dialog = page.getByRole('dialog', { name: 'Somebody else saved this flow meanwhile' })
    await dialog.getByText('theirs', { exact: true }).waitFor()
    await dialog.getByRole('button', { name: 'Save mine over theirs' }).click()
    await page.getByText('Saved as a new version.').waitFor()

    expect((await shop.send('GET', path)).body).toMatchObject({ name: 'Signup of mine' })
    await close()
  })

  test('a user is found by what they are known by, signed out, and who looked is on record', async () => {
    const { page, complaints, close } = await visit(browser, shop, { token: shop.token })
    const sessions = async () => {
      const path = `/v2/session/apps/${app}/users/${shop.user}/sessions`
      return ((await shop.send('GET', path)).body['sessions'] as readonly object[]).length
    }
    await page.goto(address('/users'))
    await page.getByText('<img src=x onerror=alert(1)>').waitFor()
    await page.getByRole('searchbox').fill('customer_user_id=4711')
    await page.getByRole('button', { name: 'Find' }).click()
    await page.getByRole('heading', { name: 'Found' }).waitFor()
    await page.reload()
    await page.getByRole('link', { name: '+33612345678' }).click()

    await page.getByText('iPhone 15').waitFor()
    await page
      .getByRole('row', { name: 'Firefox' })
      .getByRole('button', { name: 'Sign out' })
      .click()
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.getByText('Firefox').waitFor({ state: 'detached' })
    expect(await sessions()).toBe(2)
    await page.getByRole('button', { name: 'Sign out everywhere' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click()
    await page.getByText('Not signed in anywhere').waitFor()
    expect(await sessions()).toBe(0)

    await page.getByRole('link', { name: 'Who has seen them' }).first().click()
    await page.getByText('Saw a person in clear (getUser; console: users).').first().waitFor()

    const target = { phone_number: '+33612345678' }
    const input = { flow_id: shop.signupFlow, target }
    const { body: evaluation } = await shop.send('POST', '/v2/watch/eval', input)
    await page.goto(address(`/evaluations/${evaluation['id']}`))
    await page.getByText('no dispatch', { exact: true }).waitFor()
    const evidence = page.getByRole('row', { name: 'target.phone_number' })
    await evidence.getByRole('link', { name: 'Who has seen them' }).click()
    const seen = 'Saw a person in clear (getEvaluation; console: evaluations).'
    await page.getByText(seen).first().waitFor()
    await page.getByRole('link', { name: 'show them, too' }).click()
    await page.getByText('without names').waitFor({ state: 'detached' })
    expect(complaints()).toEqual([])
    await close()
  })

  test('a sender ID is submitted, and the operator rejects it with a reason that the account reads', async () => {
    const { page, complaints, close } = await visit(browser, shop, { token: shop.token })
    await page.goto(address('/verification'))
    await page.getByText('npx vigil sender-ids submit').waitFor()
    await page.getByRole('button', { name: 'New sender ID' }).click()
    await page.keyboard.press('Escape')
    await page.locator('button:focus', { hasText: 'New sender ID' }).waitFor()
    await page.keyboard.press('Enter')
    await page.keyboard.type('Ada/Shop')
    await page.keyboard.press('Enter')
    await page.getByText("this one has '/'").waitFor()
    await page.getByLabel('Sender, as phones show it').fill('Ada Shop')
    await page.keyboard.press('Enter')
    await page.getByRole('cell', { name: 'pending' }).waitFor()

    const operator = await visit(browser, shop, { token: operatorToken })
    await operator.page.goto(address('/verification'))
    await operator.page.getByRole('button', { name: 'Reject Ada Shop of Demo' }).click()
    await operator.page.keyboard.type('<b>not yours</b>')
    await operator.page.keyboard.press('Enter')
    await operator.page.getByText('Nothing waits for a decision').waitFor()
    // what it was opened from is gone
    await operator.page.locator('main:focus').waitFor()

    await page.reload()
    await page.getByRole('cell', { name: 'rejected' }).waitFor()
    await page.getByRole('cell', { name: '<b>not yours</b>' }).waitFor()
    expect([...complaints(), ...operator.complaints()]).toEqual([])
    await operator.close()
    await close()
  })

  test('a template is made, changed while somebody else changes it, and deleted', async () => {
    const { page, complaints, close } = await visit(browser, shop, { token: shop.token })
    await page.goto(address('/verification'))
    await page.getByRole('link', { name: 'New template' }).click()
    await page.getByLabel('Name').fill('<img src=x onerror="globalThis.ran=1">')
    await page.getByLabel('Digits of a code').fill('4')
    await page.getByText('A code of 4 digits is valid for 10 min').waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/templates\/template_/)
    const path = `/v2/verification/management/templates/${page.url().split('/').at(-1)}`
    const read = () => shop.send('GET', path)

    await page.getByLabel('Sent again, times').fill('7')
    await shop.send('PATCH', path, { ttl_minutes: 5 })
    await page.reload()
    await page.getByText('Your unsaved changes of before are back.').waitFor()
    await shop.send('PATCH', path, { ttl_minutes: 6 })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Somebody else changed it meanwhile').waitFor()
    await page.getByText('valid for 6 min and may be sent again 7×').waitFor()
    expect((await read()).body).toMatchObject({ ttl_minutes: 6, max_retries: 3 })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
    expect((await read()).body).toMatchObject({ code_size: 4, ttl_minutes: 6, max_retries: 7 })

    await page.getByRole('button', { name: 'Delete the template' }).click()
    await page.getByRole('button', { name: 'Delete it' }).click()
    await page.getByText('No templates yet').waitFor()
    expect((await read()).status).toBe(404)
    expect(await page.evaluate(() => 'ran' in globalThis)).toBe(false)
    expect(complaints()).toEqual([])
    await close()
  })

  test('the operator issues a token, which is shown once, and revokes it', async () => {
    const { page, complaints, close } = await visit(browser, shop, { token: operatorToken })
    await page.goto(address('/accounts'))
    await page.getByRole('link', { name: 'Demo' }).click()
    await page.getByRole('button', { name: 'New token' }).click()
    await page.getByLabel('Name').fill('nightly export')
    await page.getByRole('checkbox', { name: 'analyse' }).check()
    await page.getByRole('button', { name: 'Issue the token' }).click()
    const token = await page.getByRole('dialog').locator('code').textContent()
    await page.getByRole('button', { name: 'I have it' }).click()
    await page.getByRole('cell', { name: 'nightly export', exact: true }).waitFor()
    const headers = { authorization: `Bearer ${token}` }
    expect((await fetch(`${shop.url}/v2/whoami`, { headers })).status).toBe(200)

    await page.getByRole('button', { name: 'Revoke nightly export' }).click()
    await page.getByRole('button', { name: 'Revoke it' }).click()
    await page.getByText('revoked').waitFor()

    expect((await fetch(`${shop.url}/v2/whoami`, { headers })).status).toBe(401)
    expect(complaints()).toEqual([])
    await close()
  })

  test('who may not see accounts is told so, and so is the operator of rules', async () => {
    const account = await visit(browser, shop, { token: shop.token })
    await account.page.goto(address('/accounts'))
    await account.page.getByText('It is for the token of the operator.').waitFor()
    await account.close()

    const operator = await visit(browser, shop, { token: operatorToken })
    await operator.page.goto(address('/rules'))
    await operator.page.getByText('It needs the scope author or audit.').waitFor()
    await operator.page.goto(address('/'))
    await operator.page.getByRole('link', { name: 'accounts', exact: true }).waitFor()
    expect(operator.complaints()).toEqual([])
    await operator.close()
  })
})
