/**
 * What the service takes, a folder holds: whatever names, expressions and descriptions are, a pull leaves nothing that
 * differs.
 */

import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { findHiddenCharacter } from '../../../src/domain/text/visibleName.ts'
import { openVigil } from '../../support/openVigil.ts'
import { openShop, type Shop } from '../support/openShop.ts'

const vigil = await openVigil()
afterAll(() => vigil.close())
let shop: Shop
beforeEach(async () => {
  shop = await openShop(vigil)
})

const odd = [
  ...[' ', '\n', '\t \r\n', '\u00a0', '\u2028', '\ufeff', '\u0000', '\u007f\u0085', 'a\ud800'],
  ...[' a ', '\n\n  a\n b\n\n', 'a: b # c', '- a', '"a" \'b\'', '\\n', '{a: [b]}', '*a &b !c |'],
  ...['---', '~', 'null', 'true', '06', '1e3', '2026-11-23', '😀'.repeat(128), 'é e\u0301'],
  '__proto__',
]

/** Pulls what the account has, and expects that neither a comparison nor a push finds anything to do. */
async function expectPulledWhole(folder: string): Promise<void> {
  const { out } = await shop.run(['pull', folder])
  expect(out).not.toContain('unknown')
  expect((await shop.run(['pull', folder])).out).toBe('Nothing differs.\n')
  expect((await shop.run(['diff', folder, '--json'])).json()).toMatchObject({ differences: [] })
  await shop.run(['push', folder, '--dry-run'])
  const before = await everything()
  await shop.run(['push', folder])
  expect(await everything()).toEqual(before)
}

async function everything(): Promise<readonly unknown[]> {
  const { customer } = shop
  const read = (kind: string) => customer.send('GET', `/v2/watch/management/${kind}?limit=200`)
  const answers = await Promise.all(['rules', 'recipes', 'flows', 'lists'].map(read))
  return answers.map(({ body }) => body)
}

/** A rule, a recipe and a flow of this name, unless it would be refused, and a list of this description. */
async function make(text: string, index: number): Promise<void> {
  const { customer } = shop
  const isName = text.trim() !== '' && findHiddenCharacter(text.trim()) === undefined
  const name = isName ? text : `odd ${index}`
  const rule = await customer.rule('true', name)
  const recipe = await customer.recipe([{ rule_id: rule, weight: 1 }], { name })
  const base = '/v2/watch/management'
  const flow = await customer.send('POST', `${base}/flows`, { name, recipes: [recipe] })
  const list = { name: `list_${index}`, kind: 'text', description: text }
  const made = await customer.send('POST', `${base}/lists`, list)
  expect([flow.status, made.status]).toEqual([201, 201])
}

test('any text that is a name or a description', async () => {
  for (const [index, text] of odd.entries()) await make(text, index)

  await expectPulledWhole(join(shop.cli.folder, 'odd'))
})

test('any expression that is a rule', async () => {
  for (const text of odd) {
    const said = JSON.stringify(text)
    const answers = [
      `signal.app_version == ${said}`,
      `\n  true // ${text.trim()}\n \t`,
      `${text}true`,
    ]
    for (const expression of answers) {
      await shop.customer.send('POST', '/v2/watch/management/rules', { name: 'a', expression })
    }
  }
  expect(JSON.stringify(await everything()).match(/"id":/g)?.length).toBeGreaterThan(odd.length)

  await expectPulledWhole(join(shop.cli.folder, 'expressions'))
})
