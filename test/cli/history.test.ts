import { expect, test } from 'vitest'
import { projectedHead } from '../support/projectedHead.ts'
import { openShopOfFile } from './support/openShop.ts'

const shop = await openShopOfFile()
await shop.run(['retention', 'set', '--evaluations', '400d'])
await projectedHead(shop.vigil)

const lines = (text: string) => text.trimEnd().split('\n')

test('prints the newest events in the order of the log: when, where, what, by whom', async () => {
  const { out } = await shop.run(['history', '--limit', '2'])

  expect(lines(out)).toHaveLength(2)
  expect(lines(out).at(-1)).toMatch(
    /^\d{4}-\d\d-\d\dT[\d:.]+Z {2,}\d+ {2}Set how long evidence of evaluations is kept: 400 days\. {2}\(tok_\w+\)$/,
  )
})

test('goes on page by page for as many as are wanted, from either end', async () => {
  const newest = lines((await shop.run(['history', '--limit', '100000'])).out)
  const oldest = lines((await shop.run(['history', '--after', '0', '--limit', '100000'])).out)

  expect(newest.length).toBeGreaterThan(5)
  expect(oldest).toEqual(newest)
  expect(newest[0]).toContain('Opened the account')
})

test('prints an object for each with --json, filtered as it is asked', async () => {
  const { out } = await shop.run(['history', '--type', 'RetentionSet', '--json'])

  const [event, ...more] = lines(out).map((line) => JSON.parse(line) as { content: object })
  expect(more).toEqual([])
  expect(event?.content).toEqual({ evaluations_days: 400 })
})

test('--follow has no end', async () => {
  const { code, err } = await shop.cli.run(['history', '--follow', '--before', '5'])

  expect(code).toBe(2)
  expect(err).toContain('--follow has no end')
})

test('says so when there is none, and prints nothing with --json', async () => {
  const none = ['history', '--phone', '+33612345699']

  expect((await shop.run(none)).out).toBe('No events.\n')
  expect((await shop.run([...none, '--json'])).out).toBe('')
})
