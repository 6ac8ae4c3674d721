/** Loops over pages of a service that says to go on where it has been: they end with a sentence. */

import { afterEach, expect, test } from 'vitest'
import { openAnswers } from './support/openAnswers.ts'
import { openCli } from './support/openCli.ts'

const cli = openCli({ VIGIL_TOKEN: 't' })
afterEach(() => cli.close())

const event = { position: '7', recorded_at: '2026-11-21T07:30:00.000Z', summary: 'A.', actor: 'a' }
const evaluation = {
  ...{ id: 'evl_1', flow_id: 'flo_1', evaluated_at: event.recorded_at, verdict: 'PASS' },
  ...{ recipes: [], position: '7' },
}
const rule = { id: 'rul_1', name: 'a', expression: 'list.block' }

test.each<[readonly string[], object]>([
  [['rules', 'list'], { rules: [rule], next_cursor: 'one' }],
  [['history', '--limit', '1000'], { events: [event], next_after: '9', next_before: '7' }],
  [['history', '--after', '0', '--limit', '1000'], { events: [event], next_after: '7' }],
  [['history', '--follow', '--limit', '1'], { events: [event], next_after: '7' }],
  [['tail'], { evaluations: [evaluation], next_after: '7' }],
  [['evaluations', 'list', '--limit', '1000'], { evaluations: [evaluation], next_before: '7' }],
])(
  'given a service that repeats its page, when %j asks it, then it stops and says so',
  async (words, body) => {
    const server = await openAnswers(() => ({ body }))

    const { code, err } = await cli.run([...words, '--server', server.url])

    expect({ code, err }).toMatchObject({
      code: 3,
      err: expect.stringContaining('The service has answered the same page twice'),
    })
  },
)

test('given a filtered history of which a page has nothing, when it is read from a position, then it goes on to the end', async () => {
  const server = await openAnswers(({ path }) => {
    if (!path.includes('after=')) return { body: { events: [], next_after: '900' } }
    if (path.includes('after=500')) return { body: { events: [event], next_after: '900' } }
    if (path.includes('after=900')) return { body: { events: [], next_after: '900' } }
    return { body: { events: [], next_after: '500' } }
  })

  const { code, out } = await cli.run([
    'history',
    '--after',
    '0',
    '--actor',
    'a',
    '--server',
    server.url,
  ])

  expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining('A.') })
})
