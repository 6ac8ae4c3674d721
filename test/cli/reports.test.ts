import { describe, expect, test } from 'vitest'
import { withoutIds } from './support/openCli.ts'
import { openShopOfFile } from './support/openShop.ts'

/** An evaluation has a verdict, and so has its recipe. */
const verdictsEach = 2
const minute = (count: number) => Date.UTC(2026, 10, 21, 9, count)

const shop = await openShopOfFile()
const { customer, vigil } = shop
const flow = await customer.flowOf('phoneCountry(target.phone_number) == "FR"')
const target = { type: 'phone_number', value: '+33612345678' }
vigil.setTime(minute(0))
await customer.evaluate(flow)
vigil.setTime(minute(1))
await customer.send('POST', '/v2/watch/feedback', {
  feedbacks: [
    { target, type: 'verification.started', metadata: { correlation_id: 'signup-1' } },
    { target: { type: 'email_address', value: 'ann@example.com' }, type: 'verification.started' },
  ],
})
vigil.setTime(minute(2))
await customer.send('POST', '/v2/watch/event', {
  events: [{ target, label: 'account.banned', confidence: 'high' }],
})
vigil.setTime(minute(3))
const last = await customer.evaluate(flow)
const position = String(last.headers['x-vigil-position'])
await customer.send('GET', `/v2/watch/feedback?min_position=${position}`)

describe('feedback list', () => {
  test('prints what was received in columns', async () => {
    const { out } = await shop.run(['feedback', 'list', '--oldest-first'])

    expect(withoutIds(out)).toMatchInlineSnapshot(`
      "RECEIVED                  TYPE                  TARGET           CORRELATION  ID
      2026-11-21T09:01:00.000Z  verification.started  +33612345678     signup-1     fbk_00000000000000000000000001
      2026-11-21T09:01:00.000Z  verification.started  ann@example.com               fbk_00000000000000000000000002
      "
    `)
  })

  test('says that there may be more', async () => {
    const { out } = await shop.run(['feedback', 'list', '--limit', '1'])

    expect(out).toContain('There may be more than 1')
  })
})

describe('events list', () => {
  test('prints what was reported in columns', async () => {
    const { out } = await shop.run(['events', 'list', '--label', 'account.banned'])

    expect(withoutIds(out)).toMatchInlineSnapshot(`
      "REPORTED                  LABEL           CONFIDENCE  TARGET        ID
      2026-11-21T09:02:00.000Z  account.banned  high        +33612345678  evt_00000000000000000000000001
      "
    `)
  })
})

describe('labels', () => {
  test('are listed as the default, and set in their order', async () => {
    const before = await shop.run(['labels', 'list'])
    const given = ['payment.chargeback@low,minimum=none', 'chargeback=fraud']
    const set = await shop.run(['labels', 'set', ...given])
    const none = await shop.run(['labels', 'set', 'none', '--json'])

    expect(before.out).toContain('chargeback  all            fraud')
    expect(set.out).toMatchInlineSnapshot(`
      "LABEL               CONFIDENCES   CLASS
      payment.chargeback  low, minimum  none
      chargeback          all           fraud
      "
    `)
    expect(JSON.parse(none.out)).toEqual({ classes: [] })
  })

  test.each(['payment.chargeback', 'a=b=c', '=fraud', '@low=fraud'])(
    'refuse %s before anything is sent',
    async (given) => {
      const { code, err } = await shop.cli.run(['labels', 'set', given])

      expect(code).toBe(2)
      expect(err).toContain('LABEL=CLASS')
    },
  )
})

test.each([
  ['labels', 'set', 'chargeback=fraud', 'none'],
  ['labels', 'set', 'none', 'chargeback=fraud'],
  ['sdk-keys', 'origins', 'acc_1', 'key_1', 'https://shop.example', 'none'],
])(
  'given none beside something else, when %s %s is run, then it is refused before anything is sent',
  async (...given) => {
    const { code, err } = await shop.cli.run(given)

    expect(code).toBe(2)
    expect(err).toContain('none is an empty list, and stands alone.')
  },
)

describe('evaluations list of a person', () => {
  test('says what was reported afterwards', async () => {
    const { out } = await shop.run(['evaluations', 'list', '--phone', '+33612345678'])

    expect(withoutIds(out)).toMatchInlineSnapshot(`
      "EVALUATED                 VERDICT  FLOW    FLAGGED BY   EVIDENCE  ID                              FOLLOWED BY
      2026-11-21T09:03:00.000Z  FLAG     a flow  a recipe 60            evl_00000000000000000000000001  nothing
      2026-11-21T09:00:00.000Z  FLAG     a flow  a recipe 60            evl_00000000000000000000000002  verification.started, account.banned (high)
      "
    `)
  })

  test('goes from page to page up to its limit', async () => {
    const found = await shop.read(['evaluations', 'list', '--oldest-first', '--limit', '1'])
    const both = await shop.read(['evaluations', 'list', '--oldest-first', '--flow', flow])

    expect(found).toMatchObject({ evaluations: [{ verdict: 'FLAG' }], more: true })
    expect(both['evaluations']).toHaveLength(2)
  })

  test.each([
    ['1h', 1],
    ['yesterday', 2],
    ['2026-11-21', 2],
    ['2026-11-21T09:01:00Z', 1],
    ['today', 0],
  ])('takes a time as people say it: %s', async (from, count) => {
    const nowMs = from === 'today' ? Date.UTC(2026, 10, 22, 1) : minute(61)
    const { out } = await shop.run(['evaluations', 'list', '--from', from, '--format', 'ndjson'], {
      nowMs,
    })

    expect(out.match(/"verdict"/g) ?? []).toHaveLength(count * verdictsEach)
  })

  test('shows whose they are, where that is asked for', async () => {
    const { out } = await shop.run(['evaluations', 'list', '--show-target'])
    const found = await shop.read(['evaluations', 'list', '--show-target', '--from', '2026-11-21'])

    expect(out).toMatch(/ TARGET\n.*evl_\w+ {2}\+33612345678\n/)
    expect(found).toMatchObject({
      evaluations: [{ target: { phone_number: '+33612345678' } }, { verdict: 'FLAG' }],
    })
  })

  test('writes all of them as CSV, and as many as wanted', async () => {
    const all = ['evaluations', 'list', '--format', 'csv', '--show-target']
    const { out } = await shop.run(all)
    const one = await shop.run([...all, '--limit', '1'])

    expect(withoutIds(out).split('\r\n')).toEqual([
      'id,evaluated_at,flow_id,flow_name,verdict,flagged_by,partial_evidence,fragile,followed_by,phone_number,email_address',
      'evl_00000000000000000000000001,2026-11-21T09:03:00.000Z,flo_00000000000000000000000002,a flow,FLAG,a recipe 60,false,false,nothing,+33612345678,',
      expect.stringContaining('2026-11-21T09:00:00.000Z'),
      '',
    ])
    expect(one.out.split('\r\n')).toEqual([...out.split('\r\n').slice(0, 2), ''])
  })

  test('does not go back by positions', async () => {
    const ended = await shop.cli.run([
      'evaluations',
      'list',
      '--ip',
      '203.0.113.9',
      '--before',
      '9',
    ])

    expect([ended.code, ended.err]).toEqual([2, expect.stringContaining('--from and --to')])
  })
})

describe('flows predict', () => {
  test('sets, shows and clears the flow that answers predictions', async () => {
    const set = await shop.read(['flows', 'predict', 'a flow'])
    const shown = await shop.read(['flows', 'predict'])
    const cleared = await shop.run(['flows', 'predict', '--clear'])
    const none = await shop.cli.run(['flows', 'predict'])

    expect([set, shown]).toEqual([{ flow_id: flow }, { flow_id: flow }])
    expect(cleared.out).toBe('No flow answers predictions.\n')
    expect(none.code).toBe(1)
  })

  test('takes a flow or --clear', async () => {
    const ended = await shop.cli.run(['flows', 'predict', 'a flow', '--clear'])

    expect(ended.code).toBe(2)
  })
})
