import { expect, test } from 'vitest'
import { openShopOfFile } from './support/openShop.ts'

const shop = await openShopOfFile()

const number = '+33612345678'
const erase = ['subjects', 'erase', '--phone', number]

test('erases whoever is confirmed, and shows the certificate again', async () => {
  const { out, err } = await shop.run([...erase, '--reason', 'Ticket 4711'], { typed: 'yes' })
  const id = /era_\w+/.exec(out)?.[0] ?? ''

  expect(err).toContain(`Erase ${number} for good? Nothing brings it back. Type yes: `)
  expect(out).toContain('kind          phone_number')
  expect(out).toContain('reason        Ticket 4711')
  expect(out).not.toContain(number)
  expect((await shop.run(['subjects', 'erasure', id])).out).toBe(out)
})

test('asks nobody with --yes, and erases a user', async () => {
  await shop.run(['apps', 'register', 'Corner shop', '--id', 'corner1'])
  const user = await shop.read(['users', 'create', 'corner1', '--id', `phone_number=${number}`])

  const words = ['subjects', 'erase', '--user', `corner1/${user['id']}`, '--yes']
  expect(await shop.read(words)).toMatchObject({ kind: 'user', users: 1 })
})

test.each([
  ['Nothing was erased.', erase, { typed: 'y' }],
  ['Nobody can be asked here: say --yes.', erase, { stdin: '' }],
  ['Say who', ['subjects', 'erase', '--yes'], {}],
  ['Say who', [...erase, '--email', 'ann@example.com', '--yes'], {}],
  ['--user takes', ['subjects', 'erase', '--user', 'corner1', '--yes'], {}],
])('%s: refused', async (why, words, situation) => {
  const { code, err } = await shop.cli.run(words, situation)

  expect(code).toBe(2)
  expect(err).toContain(why)
})

test('sets, shows and ends the retention', async () => {
  const set = await shop.read(['retention', 'set', '--evaluations', '400d'])
  expect(set).toEqual({
    evaluations_days: 400,
    evaluations_erased: 0,
    dispatches_erased: 0,
    keys_destroyed: 0,
  })
  expect((await shop.run(['retention', 'show'])).out).toContain('evaluations_days    400')

  await shop.run(['retention', 'off'])
  expect((await shop.run(['retention', 'show'])).out).toContain('Evidence is kept for ever.')
  expect((await shop.cli.run(['retention', 'set', '--evaluations', '400'])).err).toContain('400d')
})
