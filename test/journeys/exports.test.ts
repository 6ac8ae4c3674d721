/** Evaluations, events and feedback as files: over HTTP and with the command line, in every format. */

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { streamTable } from '../../src/http/analysis/tableFormats.ts'
import { exportEvaluations } from '../../src/queries/analysis/exportEvaluations.ts'
import { columnNames } from '../../src/queries/analysis/scan/rowColumns.ts'
import type { ScanSliceResult } from '../../src/queries/analysis/scan/scanSlice.ts'
import { openShopOfFile } from '../cli/support/openShop.ts'
import { eventually } from '../support/eventually.ts'
import { projectedHead } from '../support/projectedHead.ts'

const { vigil, customer, cli, run } = await openShopOfFile()
const { context } = vigil.service
const start = Date.UTC(2026, 10, 21, 9)
const range = { from: '2026-11-21T00:00:00Z', to: '2026-11-22T00:00:00Z' }
const erased = '+33699999999'
const odd = {
  plain: 'x',
  formula: '=1+1',
  phone: '+33612345678',
  quotes: 'a,"b"\r\nc',
  control: '\u0001\tx',
  semicolon: 'x;=2',
  zeros: '007',
  long: '12345678901234567890',
}
const evidenceColumns = [
  ...['target.phone_number', 'target.email_address', 'signal.ip', 'signal.existing_user'],
  ...['request.time', 'ext.absent', ...Object.keys(odd).map((key) => `ext.${key}`)],
]
const every = [...columnNames, ...evidenceColumns].join(',')

let flow = ''
let rule = ''
const evaluations: string[] = []

beforeAll(async () => {
  vigil.setTime(start)
  rule = await customer.rule('signal.ext.formula == "=1+1"')
  const other = await customer.rule('signal.ext.nowhere == "1"')
  const members = [
    { rule_id: rule, weight: 60 },
    { rule_id: other, weight: 5 },
  ]
  const [one, two] = [
    await customer.recipe(members),
    await customer.recipe(members, { threshold: 90 }),
  ]
  flow = await customer.flow([one, two])
  const dispatch_id = await customer.dispatch({ ip: '192.0.2.7' })
  const evaluate = async (change: object) => {
    vigil.setTime(start + evaluations.length * 1_000)
    const { body, text } = await customer.evaluate(flow, change)
    if (body['id'] === undefined) throw new Error(text)
    evaluations.push(String(body['id']))
  }
  await evaluate({ dispatch_id, signals: { ext: odd, existing_user: true } })
  await evaluate({ target: { email_address: 'ann@example.com' } })
  await evaluate({ target: { phone_number: erased }, signals: { ext: { plain: 'gone' } } })
  const target = { type: 'phone_number', value: '+33612345678' }
  const events = ['payment.chargeback', 'account.banned'].map((label) => {
    return { target, label, confidence: 'high', evaluation_id: evaluations[0] }
  })
  await customer.send('POST', '/v2/watch/event', { events })
  await customer.send('POST', '/v2/watch/subjects/erase', { phone_number: erased, reason: 'asked' })
  await projectedHead(vigil)
})
afterEach(() => {
  vi.restoreAllMocks()
})

async function take(path: string, query: object, token = customer.token): Promise<Response> {
  const asked = new URLSearchParams(query as Record<string, string>)
  const headers = { authorization: `Bearer ${token}` }
  return fetch(`http://127.0.0.1:${vigil.door.port}/v2/watch/${path}/export?${asked}`, { headers })
}
type Row = Readonly<Record<string, unknown>>
const readLines = (text: string) =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Row)

/** The records of a CSV file (RFC 4180). */
function readCsv(text: string): readonly (readonly string[])[] {
  const records: string[][] = []
  const record: string[] = []
  const fields = text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)
  for (const [, quoted, plain = '', end] of fields) {
    record.push(quoted?.replaceAll('""', '"') ?? plain)
    if (end !== ',') records.push(record.splice(0))
  }
  return records
}
const cell = (value: unknown): string =>
  Array.isArray(value) ? value.map(cell).join(';') : String(value ?? '')

describe('an export of evaluations', () => {
  const asked = { ...range, order: 'oldest', columns: every }

  test('says the same of every column as NDJSON, CSV and Parquet', async () => {
    const rows = readLines(await (await take('evaluations', asked)).text())
    const [header = [], ...records] = readCsv(
      await (await take('evaluations', { ...asked, format: 'csv' })).text(),
    )
    const answer = await take('evaluations', { ...asked, format: 'parquet' })
    const file = await answer.arrayBuffer()
    const typed = await parquetReadObjects({ file })

    expect(rows.map(({ id }) => id)).toEqual(evaluations)
    expect(header.slice(0, 2)).toEqual(['id', 'evaluated_at'])
    expect(header).toContain('signal.ext.formula')
    expect(records).toEqual(rows.map((row) => header.map((name) => cell(row[name]))))
    const isTime = new Set(['evaluated_at', 'request.time'])
    const asJson = typed.map((row) =>
      Object.fromEntries(
        Object.entries(row as Row).flatMap(([name, value]) => {
          if (value === null || value === undefined) return []
          return [[name, isTime.has(name) ? (value as Date).toISOString() : value]]
        }),
      ),
    )
    expect(asJson).toEqual(rows)
    expect(answer.headers.get('content-type')).toBe('application/vnd.apache.parquet')
    const [first] = rows
    expect(first).toMatchObject({
      ...{ flow, verdict: 'FLAG', score: [60, 60], threshold: [50, 90], rules: [rule, rule] },
      ...{ recipe_verdict: ['FLAG', 'PASS'], partial: [true, true], imported: false },
      ...{ labels: ['payment.chargeback', 'account.banned'], class: 'fraud' },
      ...{
        missing: ['signal.ext.nowhere'],
        'signal.ip': '192.0.2.7',
        'signal.existing_user': true,
      },
      ...{ 'target.phone_number': '+33612345678', 'request.time': '2026-11-21T09:00:00.000Z' },
      ...Object.fromEntries(
        Object.entries(odd).map(([key, value]) => [`signal.ext.${key}`, value]),
      ),
    })
  })

  test('has the types that the guide says, whatever the rows hold', async () => {
    const query = { ...asked, format: 'parquet', where: 'score > 1000' }
    const { schema, num_rows } = parquetMetadata(
      await (await take('evaluations', query)).arrayBuffer(),
    )

    const found = new Map(schema.map((element) => [element.name, element]))
    expect(num_rows).toBe(0n)
    expect(found.get('evaluated_at')).toMatchObject({
      type: 'INT64',
      logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
    })
    expect(found.get('signal.ext.zeros')).toMatchObject({
      type: 'BYTE_ARRAY',
      logical_type: { type: 'STRING' },
    })
    expect(found.get('score')).toMatchObject({ converted_type: 'LIST' })
    expect(found.get('signal.existing_user')).toMatchObject({ type: 'BOOLEAN' })
  })

  test('as CSV has every text as it is, and with excel no cell that is run', async () => {
    const columns = 'target.phone_number,ext.formula,ext.semicolon,ext.quotes,ext.control,score'
    const query = { ...range, columns, format: 'csv', where: 'verdict = FLAG' }
    const plain = await (await take('evaluations', query)).text()
    const guarded = Buffer.from(
      await (await take('evaluations', { ...query, excel: 'true' })).arrayBuffer(),
    ).toString('utf8')

    expect(readCsv(plain)[1]?.slice(2)).toEqual([
      ...['+33612345678', '=1+1', 'x;=2', 'a,"b"\r\nc', '\u0001\tx', '60;60', 'false'],
    ])
    expect(guarded.startsWith('\ufeffid,')).toBe(true)
    expect(readCsv(guarded)[1]?.slice(2)).toEqual([
      ...['+33612345678', "'=1+1", "x;'=2", 'a,"b"\r\nc', '\u0001\tx', '60;60', 'false'],
    ])
  })

  test('shows an erased evaluation as forgotten, without a value of its end user', async () => {
    const query = { ...range, order: 'oldest', columns: 'verdict,target.phone_number,ext.plain' }
    const rows = readLines(await (await take('evaluations', query)).text())

    expect(rows[2]).toEqual({
      id: evaluations[2],
      evaluated_at: '2026-11-21T09:00:02.000Z',
      verdict: 'PASS',
      forgotten: true,
    })
    expect(rows[0]).toMatchObject({ forgotten: false, 'signal.ext.plain': 'x' })
  })

  test.each([
    ['signals.ip', 'did you mean signal.ip?'],
    ['scor', 'did you mean score?'],
    ['phone', 'did you mean target.phone_number?'],
    ['rule', 'did you mean rules?'],
    ['correlation_id', 'Known: labels'],
    ['__proto__', 'Known: labels'],
    ['score,score', 'each once'],
    ['ext.a,signal.ext.a', 'each once'],
  ])('refuses the columns %s', async (columns, said) => {
    const answer = await take('evaluations', { columns })
    const { details } = (await answer.json()) as { details: { path: string; message: string }[] }

    expect(answer.status).toBe(400)
    expect(details).toMatchObject([{ path: 'columns', message: expect.stringContaining(said) }])
  })

  test.each(['newest', 'oldest'])('goes on behind an evaluation, the %s first', async (order) => {
    const found: unknown[] = []
    for (let after: unknown; found.length < 4; after = found.at(-1)) {
      const query = { ...asked, order, limit: '1', ...(after !== undefined && { after }) }
      const [row] = readLines(await (await take('evaluations', query)).text())
      if (!row) break
      found.push(row['id'])
    }

    expect(found).toEqual(order === 'oldest' ? evaluations : evaluations.toReversed())
    const unknown = { after: `evl_${'0'.repeat(26)}` }
    expect((await take('evaluations', unknown)).status).toBe(400)
  })

  test('says between its rows how far it is, and at last that it is whole', async () => {
    const rows = readLines(await (await take('evaluations', asked)).text())
    const lines = readLines(
      await (await take('evaluations', { ...asked, progress: 'true' })).text(),
    )

    expect(lines.slice(0, -2)).toEqual(rows.map((row) => ({ row })))
    expect(lines.slice(-2)).toEqual([
      { progress: { scanned: 3, matched: 3, done: 1 } },
      { result: {} },
    ])
    const csv = await take('evaluations', { ...asked, format: 'csv', progress: 'true' })
    expect(csv.status).toBe(400)
  })

  test('refuses excel beside another format', async () => {
    expect((await take('evaluations', { excel: 'true' })).status).toBe(400)
  })

  test.each(['evaluations', 'feedback', 'event'])(
    'of %s is not for a token that reads no persons',
    async (path) => {
      const answer = await take(path, {}, await customer.tokenWith(['audit']))

      expect(answer.status).toBe(403)
    },
  )
})

const sliceRows = 2_000

/** A scan that never ends: each slice has as many rows as one can have. */
function scanForEver(): { asked: number; signal?: AbortSignal } {
  const seen: { asked: number; signal?: AbortSignal } = { asked: 0 }
  vi.spyOn(context, 'scanSlice').mockImplementation(async (_, signal) => {
    seen.asked += 1
    seen.signal = signal
    return sliceOf(seen.asked)
  })
  return seen
}

function sliceOf(number: number): ScanSliceResult {
  const folded = Array.from({ length: sliceRows }, (_, at) => ({
    id: `evl_${number}_${at}`,
    evaluated_at: '2026-11-21T09:00:00.000Z',
    flow,
  }))
  const after = { id: `evl_${number}`, values: [start] }
  return { folded, scanned: sliceRows, matched: sliceRows, reachedMs: start, end: 1, after }
}

describe('a reader', () => {
  test.each(['ndjson', 'csv', 'parquet'] as const)(
    'that takes its time has at most a slice and a row group read ahead of it, as %s',
    async (format) => {
      const seen = scanForEver()
      const principal = { kind: 'account', accountId: customer.accountId } as never
      const call = { principal, requestId: 'r' }
      const { chunks } = await streamTable(
        () => () => undefined,
        { call, query: { format, excel: 'false' } },
        (signal) => exportEvaluations(context, call, { columns: 'flow', signal }),
      )
      const reader = chunks?.chunks[Symbol.asyncIterator]() ?? expect.fail('no stream')
      let taken = 0
      for (let pieces = 0; pieces < 40; pieces += 1) {
        const { value } = await reader.next()
        taken += format === 'parquet' ? sliceRows : String(value).split('\n').length - 1
        expect(seen.asked * sliceRows - taken).toBeLessThanOrEqual(2 * sliceRows)
      }
      expect(seen.asked).toBeGreaterThan(2)
      chunks?.onClosed()

      expect(seen.signal?.aborted).toBe(true)
    },
  )

  test('that goes away stops the scan, and keeps no place', async () => {
    const path = `/v2/watch/evaluations/export?columns=flow`
    const request = `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${customer.token}\r\n\r\n`
    const seen = scanForEver()
    for (let one = 0; one < 5; one += 1) {
      const socket = connect(vigil.door.port, '127.0.0.1').on('error', () => undefined)
      socket.write(request)
      const first = await new Promise<Buffer>((resolve) => {
        socket.once('data', resolve)
      })
      expect(String(first)).toContain('HTTP/1.1 200')
      socket.destroy()
      await eventually(() => seen.signal?.aborted === true)
    }
  })

  test('sees a connection that breaks off when the scan fails', async () => {
    vi.spyOn(context, 'scanSlice')
      .mockResolvedValueOnce(sliceOf(1))
      .mockRejectedValue(new Error('the disk is gone'))

    const answer = await take('evaluations', { columns: 'flow' })

    await expect(answer.text()).rejects.toThrow()
  })
})

describe.each([
  ['feedback', 'feedbacks', { type: 'verification.started' }],
  ['event', 'events', { label: 'trial', confidence: 'low' }],
] as const)('an export of %s', (path, plural, change) => {
  const timeColumn = path === 'event' ? 'reported_at' : 'received_at'
  const count = 250
  const filter = path === 'event' ? { label: 'trial' } : {}
  const dates = { from: '2026-11-23T00:00:00Z', to: '2026-11-24T00:00:00Z' }

  beforeAll(async () => {
    vigil.setTime(Date.UTC(2026, 10, 23, 9))
    const entry = (at: number) => ({
      target: { type: 'phone_number', value: `+336123${String(at).padStart(5, '0')}` },
      metadata: { correlation_id: `c-${at}` },
      ...change,
    })
    for (let first = 0; first < count; first += 50) {
      const entries = Array.from({ length: 50 }, (_, at) => entry(first + at))
      const { status } = await customer.send('POST', `/v2/watch/${path}`, { [plural]: entries })
      expect(status).toBe(200)
    }
    await projectedHead(vigil)
  })

  test('has each once over all pages, and says the same in every format', async () => {
    const asked = { ...filter, ...dates, order: 'oldest' }
    const rows = readLines(await (await take(path, asked)).text())
    const [header = [], ...records] = readCsv(
      await (await take(path, { ...asked, format: 'csv' })).text(),
    )
    const parquet = await take(path, { ...asked, format: 'parquet' })
    const typed = (await parquetReadObjects({ file: await parquet.arrayBuffer() })) as Row[]

    expect(new Set(rows.map(({ target }) => target)).size).toBe(count)
    expect(rows).toHaveLength(count)
    expect(rows[0]).toMatchObject({ ...change, target_type: 'phone_number', forgotten: false })
    expect(records).toEqual(rows.map((row) => header.map((name) => cell(row[name]))))
    expect(typed.map(({ id }) => id)).toEqual(rows.map(({ id }) => id))
    expect(typed.map(({ position }) => position)).toEqual(
      rows.map(({ position }) => BigInt(String(position))),
    )
    expect(typed[0]?.[timeColumn]).toEqual(new Date(String(rows[0]?.[timeColumn])))
  })

  test('ends at its limit, has the columns that are asked for, and refuses others', async () => {
    const asked = { ...filter, ...dates, limit: '201', columns: 'target,correlation_id' }
    const rows = readLines(await (await take(path, asked)).text())
    const refused = await take(path, { columns: 'tarket' })

    expect(rows).toHaveLength(201)
    expect(Object.keys(rows[0] ?? {})).toEqual(['target', 'correlation_id'])
    expect(refused.status).toBe(400)
    expect(await refused.text()).toContain('did you mean target?')
  })
})

describe('the command line', () => {
  const times = ['--from', range.from, '--to', range.to]
  const file = (name: string) => join(cli.folder, name)

  test('writes a file of the format of its name, as HTTP answers it', async () => {
    const words = ['evaluations', 'export', file('all.parquet'), ...times, '--columns', every]
    const { out } = await run(words)
    const rows = await parquetReadObjects({
      file: Uint8Array.from(readFileSync(file('all.parquet'))).buffer,
    })
    const csv = ['evaluations', 'export', file('all.csv'), ...times, '--where', 'verdict = FLAG']
    await run([...csv, '--excel', '--oldest-first'])
    const expected = { ...range, where: 'verdict = FLAG', format: 'csv', excel: 'true' }

    expect(out).toMatch(/^[\d,]+ bytes in .*all\.parquet\.\n$/)
    expect(rows.map((row) => (row as Row)['id'])).toEqual(evaluations.toReversed())
    expect(readFileSync(file('all.csv'))).toEqual(
      Buffer.from(await (await take('evaluations', expected)).arrayBuffer()),
    )
  })

  test('writes to standard output', async () => {
    const { out } = await run(['events', 'export', '--label', 'account.banned'])
    const feedback = await run(['feedback', 'export', '--limit', '1', '--format', 'csv'])

    expect(readLines(out)).toMatchObject([{ label: 'account.banned', target: '+33612345678' }])
    expect(readCsv(feedback.out)).toHaveLength(2)
  })

  test('leaves the file as it was, and nothing beside it, when the answer breaks off', async () => {
    vi.spyOn(context, 'scanSlice')
      .mockResolvedValueOnce(sliceOf(1))
      .mockRejectedValue(new Error('the disk is gone'))
    writeFileSync(file('kept.ndjson'), 'before')

    const ended = await cli.run(['evaluations', 'export', file('kept.ndjson')])

    expect(ended.code).toBe(3)
    expect(ended.err).toContain('broke off')
    expect(readFileSync(file('kept.ndjson'), 'utf8')).toBe('before')
    expect(readdirSync(cli.folder).filter((name) => name.endsWith('.part'))).toEqual([])
  })

  test('writes no file of what is refused', async () => {
    const ended = await cli.run(['evaluations', 'export', file('none.csv'), '--columns', 'scor'])

    expect(ended).toMatchObject({ code: 1, out: '' })
    expect(ended.err).toContain('did you mean score?')
    expect(existsSync(file('none.csv'))).toBe(false)
  })

  test.each([
    [['evaluations', 'export', 'x.parquet', '--excel'], '--excel is of CSV alone'],
    [['evaluations', 'export', '--format', 'parquet'], 'name a file'],
    [['evaluations', 'list', '--columns', 'score'], '--columns needs --where'],
    [
      ['evaluations', 'list', '--where', 'flow = x', '--before', '3'],
      '--before goes back in the log',
    ],
    [
      ['evaluations', 'list', '--where', 'flow = x', '--columns', 'score', '--show-target'],
      '--columns does not go with --show-target',
    ],
  ])('refuses %j', async (words, said) => {
    const ended = await cli.run(words, { terminal: true })

    expect(ended.code).toBe(2)
    expect(ended.err).toContain(said)
  })

  test('lists what fulfils conditions, with the columns that are asked for', async () => {
    const words = ['evaluations', 'list', ...times, '--where', `rule = ${rule}`]
    const { out } = await run([...words, '--columns', 'score,ext.formula', '--limit', '2'])
    const one = await run([...words, '--phone', '+33612345678', '--verdict', 'flag', '--json'])
    const few = await run([...words, '--limit', '1'])

    expect(out.split('\n')[0]).toMatch(/^id +evaluated_at +score +forgotten/)
    expect(one.json()).toMatchObject({ evaluations: [{ id: evaluations[0] }], more: false })
    expect(few.out).toContain('There may be more than 1')
  })
})
