import { expect, test } from 'vitest'
import { projectedHead } from '../support/projectedHead.ts'
import { openAnswers } from './support/openAnswers.ts'
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

test('--follow prints the last, waits, and prints each event that comes later once, until Ctrl-C', async () => {
  const interruption = new AbortController()
  const event = (position: string) => ({
    ...{ position, recorded_at: '2026-11-21T07:30:00.000Z', summary: 'A.', actor: 'a' },
  })
  const pages = [
    { events: [event('7')], next_after: '9' },
    { events: [], next_after: '9' },
    { events: [event('10'), event('12')], next_after: '12' },
    { events: [], next_after: '12' },
    { events: [event('13')], next_after: '13' },
  ]
  const server = await openAnswers((_, number) => ({ body: pages[number - 1] }))

  const { code, out } = await shop.cli.run(
    ['history', '--follow', '--limit', '1', '--server', server.url],
    {
      interrupted: interruption.signal,
      onOut: (text) => text.includes('  13  ') && interruption.abort(),
    },
  )

  expect(code).toBe(0)
  expect(lines(out).map((line) => line.split(/ +/)[1])).toEqual(['7', '10', '12', '13'])
  const after = server.asked.map(({ path }) => /after=(\d+)/.exec(path)?.[1])
  expect(after).toEqual([undefined, '9', '9', '12', '12'])
})
