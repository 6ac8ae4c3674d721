import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { projectedHead } from '../support/projectedHead.ts'
import { openShopOfFile } from './support/openShop.ts'

const shop = await openShopOfFile()
shop.vigil.setTime(Date.UTC(2026, 10, 21, 12))
let flow: string

beforeAll(async () => {
  flow = await shop.customer.flowOf('signal.ip == "9.9.9.9"', 'signal.ext.note == "a\\nb"')
})

const file = (name: string, content: string | Buffer) => {
  const path = join(shop.cli.folder, name)
  writeFileSync(path, content)
  return path
}
const bring = (path: string, ...words: readonly string[]) =>
  shop.cli.run(['import', 'evaluations', path, '--flow', 'a flow', ...words])
const list = async (phone: string) => {
  await projectedHead(shop.vigil)
  const path = `/v2/watch/evaluations?order=oldest&phone_number=${encodeURIComponent(phone)}`
  return (await shop.customer.send('GET', path)).body['evaluations'] as Record<string, unknown>[]
}
const header = 'id,occurred_at,phone_number,signals.ip,signals.existing_user,ext.note'

describe('a CSV file', () => {
  test('given a byte order mark, quotes over lines and labels, is imported once', async () => {
    const path = file(
      'last.CSV',
      `\uFEFF${header},label,confidence,label_occurred_at\r\n` +
        'o1,2025-03-01 10:00,+33611111111,9.9.9.9,TRUE,"a\nb",payment.chargeback,high,2025-04-01\r\n' +
        '\r\n' +
        'o2,2025-03-01T12:00:00+01:00,+33611111111,,,"""x"", y",,,\r\n',
    )

    const wrongTime = await bring(path)
    const fixed = file(
      'last.csv',
      `${header},label,confidence\r\n` +
        'o1,2025-03-01 10:00,+33611111111,9.9.9.9,TRUE,"a\nb",payment.chargeback,high\r\n' +
        '\r\n' +
        'o2,2025-03-01T12:00:00+01:00,+33611111111,,,"""x"", y",,\r\n',
    )
    const first = await bring(fixed)
    const again = await bring(fixed)

    expect(wrongTime).toMatchObject({
      code: 1,
      err: 'vigil: line 2 (o1): labels.0.occurred_at Must be a time in RFC 3339 with a zone, from 1970 on.\n',
    })
    expect(first).toMatchObject({ code: 0, out: 'imported  1\nrepeated  1\nfailed    0\n' })
    expect(again).toMatchObject({ code: 0, out: 'imported  0\nrepeated  2\nfailed    0\n' })
    const found = await list('+33611111111')
    expect(found.map((one) => [one['evaluated_at'], one['verdict'], one['label_class']])).toEqual([
      ['2025-03-01T10:00:00.000Z', 'FLAG', 'fraud'],
      ['2025-03-01T11:00:00.000Z', 'PASS', undefined],
    ])
  })

  test('with bad rows has them named by their lines, and the others imported', async () => {
    const rows = [
      header,
      'b1,2025-03-01T10:00:00Z,+33622222222,,,',
      'b2,2025-03-01T10:00:00Z,06,,,',
      'b3,2025-03-01T10:00:00Z,+33622222222,,',
      'b4,2025-03-01T10:00:00Z,+33622222222,,perhaps,"a',
      'b"',
      'b5,2025-03-01T10:00:00Z,+33622222222,,,',
      'b6,2025-03-01T10:00:00Z,+33622222222,,,"open',
    ]

    const { code, out, err } = await bring(file('bad.csv', `${rows.join('\n')}\n`))

    expect({ code, out }).toEqual({ code: 1, out: 'imported  2\nrepeated  0\nfailed    4\n' })
    expect(err.split('\n').map((line) => line.slice(0, 48))).toEqual([
      'vigil: line 3 (b2): target.phone_number Must be ',
      'vigil: line 4: Must have 6 fields, as the header',
      'vigil: line 5 (b4): signals.existing_user Must b',
      'vigil: line 8: Its quotes are not closed, or it ',
      '',
    ])
    expect(await list('+33622222222')).toHaveLength(2)
  })

  test.each([
    ['id,occurred_at,id', 'The header has "id" twice.'],
    ['id,ocurred_at', 'There is no column "ocurred_at". Did you mean occurred_at?'],
    ['id,phone_number', 'The header lacks occurred_at.'],
    ['id;occurred_at;phone_number', 'There is no column "id;occurred_at;phone_number".'],
    ['id,"occurred_at', 'The quotes of the header are not closed.'],
  ])('with the header %s is refused', async (first, message) => {
    const { code, err } = await bring(file('header.csv', `${first}\nx,y,z\n`))

    expect(code).toBe(2)
    expect(err).toContain(message)
  })
})

describe('an NDJSON file', () => {
  const row = (id: string, change: object = {}) =>
    JSON.stringify({
      ...{ id, occurred_at: '2025-03-01T10:00:00Z', target: { phone_number: '+33633333333' } },
      ...change,
    })

  test('takes the flow that is given for rows without one, and names what it cannot read', async () => {
    const other = await shop.customer.flowOf('1 == 1')
    const rows = [row('n1'), row('n2', { flow_id: other }), '', '{', 'x'.repeat(200_000), row('n3')]
    const path = file('last.ndjson', rows.join('\n'))
    const words = ['import', 'evaluations', path, '--flow', flow]

    const { code, out, err } = await shop.cli.run(words)

    expect({ code, out }).toEqual({ code: 1, out: 'imported  3\nrepeated  0\nfailed    2\n' })
    expect(err.match(/line \d+/g)).toEqual(['line 4', 'line 5'])
    const flows = (await list('+33633333333')).map((one) => one['flow_id'])
    expect(flows.toSorted()).toEqual([flow, flow, other].toSorted())
  })

  test('is only checked in a dry run', async () => {
    const target = { phone_number: '+33644444444' }
    const rows = [row('n1'), row('d1', { target }), row('d2', { target: {} })]

    const words = ['import', 'evaluations', file('dry.ndjson', rows.join('\n')), '--flow', flow]
    const { code, json } = await shop.cli.run([...words, '--dry-run', '--json'])

    expect(code).toBe(1)
    expect(json()).toEqual({
      ...{ valid: 1, repeated: 1, failed: 1 },
      failures: [{ row: 3, id: 'd2', message: expect.stringContaining('target') }],
    })
    expect(await list(target.phone_number)).toEqual([])
  })

  test('longer than a batch is sent in several, and a row that comes twice is imported once', async () => {
    const target = { phone_number: '+33655555555' }
    const rows = Array.from({ length: 300 }, (_, at) => row(`many ${at % 280}`, { target }))

    const words = ['import', 'evaluations', '--flow', flow]
    const { out } = await shop.run(words, { stdin: rows.join('\n') })

    expect(out).toBe('imported  280\nrepeated  20\nfailed    0\n')
  })
})
