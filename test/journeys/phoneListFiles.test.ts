/** Phone lists in files: brought in line by line, and taken out as what can be brought in. */

import { request } from 'node:http'
import { beforeEach, describe, expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { openVigilOfFile } from '../support/openOfFile.ts'
import { type Customer, openCustomer } from '../support/openVigil.ts'
import { projectedHead } from '../support/projectedHead.ts'

const base = '/v2/verification/management/phone-numbers'
const ndjson = 'application/x-ndjson'

const vigil = await openVigilOfFile()
let shop: Customer
beforeEach(async () => {
  shop = await openCustomer(vigil)
})

const numberOf = (index: number) => `+1213373${String(4000 + index).padStart(4, '0')}`
const send = (type: string, body: string, query = '') =>
  shop.send('POST', `${base}/block/import${query}`, body, { 'content-type': type })
const bring = async (type: string, body: string, query = '') =>
  (await send(type, body, query)).text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
const take = async (format: string) => {
  await projectedHead(vigil)
  const path = `${base}/block/export?format=${format}`
  return (await vigil.door.request('GET', path, { token: shop.token })).text
}
const linesOf = (count: number) =>
  Array.from({ length: count }, (_, index) => `{"phone_number":"${numberOf(index)}"}\n`).join('')

describe('an import', () => {
  test('answers each line with what became of it, and at the end all of them', async () => {
    await shop.send('POST', `${base}/block`, { phone_number: numberOf(1) })
    await shop.send('POST', `${base}/block`, { phone_number: numberOf(2) })

    const answers = await bring(
      ndjson,
      `\uFEFF{"phone_number":"${numberOf(1)}"}\n\n{"phone_number":"${numberOf(2)}","reason":"fraud"}\n` +
        `{"phone_number":"${numberOf(3)}"}\n{"phone_number":"06"}\n{"phone":"x"}\nno json\n`,
    )

    expect(answers).toMatchObject([
      { line: 1, phone_number: numberOf(1), result: 'unchanged' },
      { line: 3, phone_number: numberOf(2), result: 'changed' },
      { line: 4, phone_number: numberOf(3), result: 'added' },
      { line: 5, result: 'refused', details: [{ path: 'phone_number' }] },
      { line: 6, result: 'refused' },
      { line: 7, result: 'refused', details: [{ message: 'Must be JSON.' }] },
      { result: 'done', added: 1, changed: 1, unchanged: 1, refused: 3 },
    ])
  })

  test('tells a change from an addition in one and the same millisecond', async () => {
    vigil.setTime(Date.UTC(2026, 10, 22))
    const [first, again] = [
      { phone_number: numberOf(1) },
      { phone_number: numberOf(1), reason: 'x' },
    ]

    const answers = await bring(ndjson, `${JSON.stringify(first)}\n${JSON.stringify(again)}\n`)
    vigil.setTime(Date.now())

    expect(answers.map(({ result }) => result)).toEqual(['added', 'changed', 'done'])
  })

  test('adds the numbers in the order of its lines, whatever each of them takes', async () => {
    const nowMs = Date.now()
    vigil.setTime(nowMs - 2_000)
    const expires_at = new Date(nowMs - 1_000).toISOString()
    const expired = [0, 1, 3, 4, 7, 20, 33, 50].map((at) => ({
      phone_number: numberOf(at),
      expires_at,
    }))
    await bring(ndjson, expired.map((entry) => `${JSON.stringify(entry)}\n`).join(''))
    vigil.setTime(nowMs)

    // of those that have expired more is read before they are added anew
    await bring(ndjson, linesOf(60))

    const listed = (await shop.send('GET', `${base}/block`)).body['phone_numbers']
    const inOrder = Array.from({ length: 60 }, (_, at) => ({ phone_number: numberOf(at) }))
    expect(listed).toMatchObject(inOrder)
  })

  test('of a CSV file reads the columns that its first line names', async () => {
    const file =
      '\uFEFFreason,phone_number,expires_at\r\n' +
      `"said ""no"", twice",${numberOf(1)},\r\n,${numberOf(2)},2099-01-01T00:00:00Z\r\nx\r\n`

    const answers = await bring('text/csv', file)

    expect(answers.map(({ result }) => result)).toEqual(['added', 'added', 'refused', 'done'])
    expect((await shop.send('GET', `${base}/block`)).body['phone_numbers']).toMatchObject([
      { phone_number: numberOf(1), reason: 'said "no", twice' },
      { phone_number: numberOf(2), expires_at: '2099-01-01T00:00:00.000Z' },
    ])
  })

  const columns = 'phone_number, reason, expires_at, created_at'
  test.each([
    ['phone_number;reason', "it is separated by ';' where a comma is expected"],
    ['phone_number\treason', 'it is separated by U+0009 where a comma is expected'],
    ['phone_number,Reason', 'it names "Reason"'],
    ['number', 'it names "number"'],
    ['reason,expires_at', 'it lacks phone_number'],
    ['phone_number,reason,reason', 'it names a column twice'],
    [
      'phone_number,"reason',
      'its quotes are not closed, or stand inside a field that does not begin with one',
    ],
  ])('of a CSV file that begins with %j is told what is wrong there', async (header, fault) => {
    const [failed] = await bring('text/csv', `${header}\n${numberOf(1)}\n`)

    const message = `The first line must name the columns, of ${columns}, each once; ${fault}: "${header.replace('\t', 'U+0009')}".`
    expect(failed).toMatchObject({ result: 'failed', code: 'invalid_request', message })
  })

  const quotes = 'its quotes are not closed, or stand inside a field that does not begin with one'
  test.each([
    [`${numberOf(1)};x`, '', 'this line has 1: "+12133734001;x".'],
    [`${numberOf(1)},a,b,c`, '', 'this line has 4: "+12133734001,a,b,c".'],
    [`${numberOf(1)},"a,`, '', `${quotes}: "+12133734001,"a,".`],
    [
      `${numberOf(1)},${'x'.repeat(50)},,`,
      '',
      `this line has 4: "+12133734001,${'x'.repeat(27)}…".`,
    ],
    [`${numberOf(1)},,soon`, 'expires_at', 'Must be a time in ISO 8601 with a zone, not "soon".'],
    [`+1213\u200b3734001,,`, 'phone_number', 'this one has U+200B.'],
  ])('of a CSV file with the line %j is told what is wrong there', async (line, path, end) => {
    const file = `phone_number,reason,expires_at\n\n${line}\n`

    const [refused] = await bring('text/csv', file)

    expect(refused).toMatchObject({ line: 3, result: 'refused', details: [{ path }] })
    expect(JSON.stringify(refused?.['details'])).toContain(JSON.stringify(end).slice(1))
  })

  test.each([
    'application/json',
    'text/csv; charset=iso-8859-1',
    'application/x-ndjson; charset=utf-16',
  ])('of the type %s is refused', async (type) => {
    expect((await send(type, linesOf(1))).status).toBe(415)
  })

  test('without a line is refused, also when only its end says so', async () => {
    const { outgoing, answered } = sendPart('')
    outgoing.end()

    expect((await send(ndjson, '')).status).toBe(400)
    expect(await answered(/empty/)).toContain('"failed"')
  })

  test('that was cut off goes on where it was answered, and again changes nothing', async () => {
    const file = linesOf(40)
    const cut = file.split('\n').slice(0, 20).join('\n')
    await bring(ndjson, cut)

    const rest = await bring(ndjson, file, '?after_line=20')
    const again = await bring(ndjson, file)

    expect(rest[0]).toMatchObject({ line: 21, result: 'added' })
    expect(rest.at(-1)).toMatchObject({ added: 20, unchanged: 0 })
    expect(again.at(-1)).toMatchObject({ added: 0, unchanged: 40 })
  })

  test('answers lines while others are still to come, and what it answered stays when the client leaves', async () => {
    const { outgoing, answered } = sendPart(linesOf(3))

    expect(await answered(/"added"/)).toContain('"line":1')
    outgoing.destroy()
    // it is on disk, and read a moment later
    await eventually(async () => {
      const listed = (await shop.send('GET', `${base}/block`)).body['phone_numbers'] as unknown[]
      return listed.length > 0
    })
  })

  test('that fails says why to a client that is still sending', async () => {
    const { outgoing, answered } = sendPart(`${linesOf(3)}${'x'.repeat(9_000)}`)

    const answers = await answered(/"failed"/)

    expect(answers.match(/"added"/g)).toHaveLength(3)
    expect(answers).toContain('A line has at most')
    outgoing.destroy()
  })
})

/** Sends the beginning of a file, and answers with the text of the answer once it has something. */
function sendPart(text: string) {
  const outgoing = request({
    port: vigil.door.port,
    host: '127.0.0.1',
    method: 'POST',
    path: `${base}/block/import`,
    headers: { authorization: `Bearer ${shop.token}`, 'content-type': ndjson },
  })
  outgoing.write(text)
  const answered = (sought: RegExp) =>
    new Promise<string>((resolve, reject) => {
      outgoing.on('error', reject)
      outgoing.once('response', (incoming) => {
        let all = ''
        incoming.on('error', reject)
        incoming.on('data', (chunk: Buffer) => {
          all += String(chunk)
          if (sought.test(all)) resolve(all)
        })
      })
    })
  return { outgoing, answered }
}

describe.each(['ndjson', 'csv'])('an export as %s', (format) => {
  test('can be imported into another account as it is', async () => {
    const reasons = ['a, "b"', '=1+1', "'@home", "it's", '-', "''+", '＝1＋1', "'＠home"]
    const reasoned = reasons.map((reason, at) =>
      JSON.stringify({ phone_number: numberOf(9 + at), reason }),
    )
    await bring(ndjson, `${linesOf(3)}${reasoned.join('\n')}\n`)
    const file = await take(format)
    const before = (await shop.send('GET', `${base}/block`)).body['phone_numbers']

    shop = await openCustomer(vigil)
    const answers = await bring(format === 'csv' ? 'text/csv' : ndjson, file)

    expect(answers.at(-1)).toMatchObject({ added: 11, refused: 0 })
    await projectedHead(vigil)
    const withoutTimes = (entries: unknown) =>
      (entries as object[]).map((entry) => ({ ...entry, created_at: '' }))
    const after = (await shop.send('GET', `${base}/block`)).body['phone_numbers']
    expect(withoutTimes(after)).toEqual(withoutTimes(before))
  })
})

test('an export as csv has no cell that a spreadsheet would take for a formula', async () => {
  await bring(ndjson, `{"phone_number":"${numberOf(1)}","reason":"=HYPERLINK(1)"}\n`)

  const [, line] = (await take('csv')).split('\r\n')

  expect(line).toMatch(new RegExp(`^\\${numberOf(1)},'=HYPERLINK\\(1\\),`))
})
