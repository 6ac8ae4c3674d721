import { expect, test } from 'vitest'
import { openShopOfFile } from './support/openShop.ts'

const shop = await openShopOfFile()

const withoutId = (text: string) =>
  text.replace(/template_[0-9a-z]{26}/g, `template_${'0'.repeat(26)}`)

test('a template is created, listed, printed, changed and deleted', async () => {
  await shop.run(['access', shop.customer.accountId, '--custom-suffix', 'on'])
  const words = ['--code-size', '4', '--ttl', '5', '--kind', 'psd2', '--suffix', 'Ada Shop']

  const created = await shop.run(['templates', 'create', 'Ada', ...words])
  const listed = await shop.run(['templates', 'list'])
  const changed = await shop.run([
    ...['templates', 'update', 'Ada', '--retries', '0', '--name', 'Grace'],
    ...['--default', 'suffix', '--default', 'code_size'],
  ])
  const printed = await shop.run(['templates', 'get', 'Grace'])
  const deleted = await shop.run(['templates', 'delete', 'Grace'])
  const none = await shop.run(['templates', 'list'])

  expect(withoutId(created.out)).toMatchInlineSnapshot(`
    "id                      template_00000000000000000000000000
    name                    Ada
    kind                    psd2
    code_size               4
    ttl_minutes             5
    max_retries             3
    retry_delay_seconds     30
    per_phone_number_limit  5
    sliding_window_hours    24
    suffix                  Ada Shop
    "
  `)
  expect(withoutId(listed.out)).toMatchInlineSnapshot(`
    "ID                                   KIND  DIGITS  MINUTES  SUFFIX    NAME
    template_00000000000000000000000000  psd2       4        5  Ada Shop  Ada
    "
  `)
  expect(withoutId(changed.out)).toMatchInlineSnapshot(`
    "id                      template_00000000000000000000000000
    name                    Grace
    kind                    psd2
    code_size               6
    ttl_minutes             5
    max_retries             0
    retry_delay_seconds     30
    per_phone_number_limit  5
    sliding_window_hours    24
    "
  `)
  expect(printed.out).toBe(changed.out)
  expect(withoutId(deleted.out)).toBe(`Deleted template_${'0'.repeat(26)}.\n`)
  expect(none.out).toBe('No templates.\n')
})

test.each([
  [['templates', 'update', 'Twice'], 'Say what to change'],
  [['templates', 'create', 'A', '--code-size', '9'], 'from 4 to 8'],
  [['templates', 'create', 'A', '--kind', 'marketing'], 'optimized'],
  [['templates', 'update', 'Twice', '--default', 'name'], 'Must be of'],
])('%j is refused before anything is asked', async (words, said) => {
  const refused = await shop.cli.run(words)

  expect([refused.code, refused.err]).toMatchObject([2, expect.stringContaining(said)])
})
