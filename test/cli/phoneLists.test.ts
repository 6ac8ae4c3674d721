import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { openShopOfFile } from './support/openShop.ts'

const shop = await openShopOfFile()

beforeAll(() => {
  shop.vigil.setTime(Date.UTC(2026, 10, 21, 9, 30))
})

test('a number is put on a phone list, shown, removed, and its history told', async () => {
  const add = ['phone-lists', 'add', 'allow', '+33 6 12 34 56 78', '--reason', 'Board member']
  const added = await shop.run([...add, '--expires-at', '2027-01-01T00:00'])
  const shown = await shop.run(['phone-lists', 'show', 'allow'])
  await shop.run(['phone-lists', 'remove', 'allow', '+33612345678'])
  const history = await shop.run(['phone-lists', 'history', 'allow', '+33612345678'])

  expect(added.out).toBe('phone_number  +33612345678\n')
  expect(shown.out).toMatchInlineSnapshot(`
    "VALUE         ADDED                     ENDS                      REASON
    +33612345678  2026-11-21T09:30:00.000Z  2027-01-01T00:00:00.000Z  Board member
    "
  `)
  expect(history.out.match(/added|deleted/g)).toEqual(['added', 'deleted'])
})

test.each([
  ['csv', 'phone_number\n+33612345678\n06 12\n', '3'],
  ['ndjson', '{"phone_number":"+33612345678"}\n{"phone_number":"06 12"}\n', '2'],
])(
  'a %s file of numbers is imported into a phone list, and says which line was refused',
  async (format, text, line) => {
    const file = join(shop.cli.folder, `numbers.${format}`)
    writeFileSync(file, text)

    const { code, out, err } = await shop.cli.run(['phone-lists', 'import', 'block', file])
    const entries = (await shop.read(['phone-lists', 'show', 'block']))['phone_numbers']

    expect(code).toBe(1)
    expect(out).toMatch(/refused {4}1\n$/)
    expect(err).toMatch(new RegExp(`^vigil: line ${line} \\(06 12\\): phone_number `))
    expect(entries).toMatchObject([{ phone_number: '+33612345678' }])
  },
)

test.each(['csv', 'ndjson'])(
  'a phone list is exported as the service writes it, as %s',
  async (format) => {
    await shop.run(['phone-lists', 'add', 'block', '+33612345678', '--reason', '=1+1'])
    const file = join(shop.cli.folder, `out.${format}`)

    const { out } = await shop.run(['phone-lists', 'export', 'block', file])
    const path = `/v2/verification/management/phone-numbers/block/export?format=${format}`
    const served = await shop.customer.send('GET', path)

    expect(out).toBe(`1 entry in ${file}.\n`)
    expect(readFileSync(file, 'utf8')).toBe(served.text)
  },
)

test('there are only two phone lists', async () => {
  const { code, err } = await shop.cli.run(['phone-lists', 'show', 'blok'])

  expect(code).toBe(2)
  expect(err).toContain('Must be of: allow, block. Did you mean block?')
})
