import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import pino from 'pino'
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
} from 'vitest'
import { openMetrics } from '../../src/metrics/openMetrics.ts'
import {
  answersWell,
  type Oddity,
  openOddCustomer,
  saysNothing,
  sendsOn,
} from '../support/oddCustomer.ts'
import { type Customer, openCustomer, openVigil, type Vigil } from '../support/openVigil.ts'

const privateMigrationHosts = 'localhost,127.0.0.0/8'
const metrics = openMetrics()
const lines: string[] = []
let odd: Awaited<ReturnType<typeof openOddCustomer>>
let vigil: Vigil
let shop: Customer
let appId: string
let now = 0
let findAddresses: (name: string, signal: AbortSignal) => Promise<readonly string[]>

beforeAll(async () => {
  odd = await openOddCustomer()
  vigil = await openVigil({
    metrics,
    logger: pino({ level: 'trace' }, { write: (line) => lines.push(line) }),
    linesPerSecond: 1_000_000,
    nowMs: () => now,
    privateMigrationHosts,
    outside: {
      certificates: odd.certificates,
      findAddresses: (name, signal) => findAddresses(name, signal),
    },
  })
  shop = await openCustomer(vigil)
})

afterAll(async () => {
  await vigil.close()
  odd.close()
})

beforeEach(async () => {
  appId = await newApp(shop)
  findAddresses = async () => ['127.0.0.1']
})

afterEach(() => {
  odd.answering = answersWell
  vigil.setTime(Date.now())
})

async function newApp({ send }: Customer, url = odd.url): Promise<string> {
  const { body } = await send('POST', '/v2/session/apps', { name: 'Shop' })
  const app = String(body['app_id'])
  const config = `/v2/session/apps/${app}/config/migration`
  await send('PUT', config, { session_validation_url: url })
  return app
}

const migrate = (app = appId, token: string = randomUUID(), headers = {}) =>
  vigil.door.request('POST', '/v1/session/migration', {
    headers: { host: `${app}.session.localhost`, ...headers },
    body: { token },
  })

const ok = 'HTTP/1.1 200 OK\r\n'
const sends =
  (...parts: readonly (string | Buffer)[]): Oddity =>
  (socket) => {
    for (const part of parts) socket.write(part)
    socket.end()
  }
const keepsOpen =
  (text: string): Oddity =>
  (socket) => {
    socket.write(text)
  }
const says = (text: string | Buffer, head = ok): Oddity =>
  sends(`${head}Content-Length: ${Buffer.byteLength(text)}\r\n\r\n`, text)
const early = 'HTTP/1.1 103 Early Hints\r\n\r\n'
const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'

describe('bytes that are no answer are a failure of theirs, in time', () => {
  test.each<[string, Oddity]>([
    ['nothing', saysNothing],
    ['the end', sends()],
    ['a reset', (socket) => socket.destroy()],
    ['another protocol', keepsOpen(upgrade)],
    ['HTTP/2', keepsOpen('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')],
    ['no HTTP', sends('\0\0\0')],
    ['headers that drip', sendsOn(`${ok}X: `, 'x')],
    ['headers of 40 KB', keepsOpen(`${ok}X: ${'x'.repeat(40_000)}\r\n\r\n`)],
    ['announcements without end', sendsOn('', early)],
    ['fifty of them before the answer', sends(early.repeat(50), `${ok}\r\n{"valid":false}`)],
    ['a body that drips', sendsOn(`${ok}Content-Length: 1000\r\n\r\n`, ' ')],
    ['chunks without end', sendsOn(`${ok}Transfer-Encoding: chunked\r\n\r\n`, '1\r\n \r\n')],
    [
      'a chunk that says much',
      sendsOn(`${ok}Transfer-Encoding: chunked\r\n\r\n2;`, 'x'.repeat(999)),
    ],
    [
      'trailers without end',
      sendsOn(
        `${ok}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n`,
        `X: ${'x'.repeat(999)}\r\n`,
      ),
    ],
    ['half of a body', sends(`${ok}Content-Length: 1000\r\n\r\n{"valid":`)],
    ['half of the chunks', sends(`${ok}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`)],
    ['two lengths', sends(`${ok}Content-Length: 15\r\nContent-Length: 2\r\n\r\n{"valid":false}`)],
    [
      'a length and chunks',
      sends(`${ok}Content-Length: 15\r\nTransfer-Encoding: chunked\r\n\r\n{"valid":false}`),
    ],
    ['64 KiB and a byte', says(`{"valid":false}${' '.repeat(64 * 1_024 - 14)}`)],
    ['a gzip bomb', says(gzipSync(Buffer.alloc(10_000_000)), `${ok}Content-Encoding: gzip\r\n`)],
    ['gzip', says(gzipSync('{"valid":false}'), `${ok}Content-Encoding: gzip\r\n`)],
    ['no UTF-8', says(Buffer.from('{"valid":false,"more":"\xff"}', 'latin1'))],
    ['a page', says('<html>{"valid":false}</html>', `${ok}Content-Type: text/html\r\n`)],
    ['30,000 lists', says('['.repeat(30_000))],
  ])('%s', async (_, oddity) => {
    now += 3_600_000
    odd.answering = oddity

    expect(await migrate()).toMatchObject({
      status: 502,
      body: { code: 'session_validation_failed' },
    })
    odd.answering = answersWell
    expect((await migrate()).status).toBe(200)
  })

  test('a few announcements before an answer are none', async () => {
    odd.answering = sends(early.repeat(8), `${ok}\r\n{"valid":false}`)

    expect((await migrate()).status).toBe(401)
  })

  test('64 KiB are an answer', async () => {
    odd.answering = says(`{"valid":false}${' '.repeat(64 * 1_024 - 15)}`)

    expect((await migrate()).status).toBe(401)
  })

  test('and none of them keeps its place', async () => {
    const start = Date.now()
    odd.answering = keepsOpen(upgrade)
    for (let time = 0; time < 20; time += 1) {
      now += 3_600_000
      vigil.setTime(start + time * 120_000)
      expect((await migrate()).status).toBe(502)
    }

    odd.answering = answersWell
    vigil.setTime(start + 3_600_000)
    expect((await migrate()).status).toBe(200)
  })
})

describe('the name of the place', () => {
  beforeEach(async () => {
    now += 3_600_000
    appId = await newApp(shop, odd.publicUrl)
  })

  test('is looked up once for each question, and connected to where it led then', async () => {
    let lookUps = 0
    findAddresses = async () => {
      lookUps += 1
      return lookUps === 1 ? ['127.0.0.1'] : ['10.0.0.1']
    }

    expect((await migrate()).status).toBe(200)
    expect(lookUps).toBe(1)
    expect((await migrate()).status).toBe(502)
    expect(lookUps).toBe(2)
  })

  test('is looked for no longer than somebody waits', async () => {
    let gaveUp = false
    findAddresses = (_, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          gaveUp = true
          reject(new Error('given up'))
        })
      })

    expect((await migrate()).status).toBe(502)
    expect(gaveUp).toBe(true)
  })
})

test('each question has a connection of its own, so that none is asked over that of another account', async () => {
  odd.answering = (socket) => {
    const { length } = validFalse
    socket.write(`${ok}Connection: keep-alive\r\nContent-Length: ${length}\r\n\r\n${validFalse}`)
  }
  const other = await newApp(await openCustomer(vigil))
  const before = odd.connections()

  for (const app of [appId, appId, other]) expect((await migrate(app)).status).toBe(401)

  expect(odd.connections()).toBe(before + 3)
})

const validFalse = '{"valid":false}'

test('questions that are answered slowly leave most of the requests in progress to others', async () => {
  const { certificates } = odd
  const outside = { certificates, findAddresses: async () => ['127.0.0.1'] }
  const small = await openVigil({
    inFlightMax: 512,
    privateMigrationHosts,
    outside,
    metrics,
  })
  onTestFinished(small.close)
  const app = await newApp(await openCustomer(small))
  let asked = 0
  odd.answering = () => {
    asked += 1
  }
  const ask = () =>
    small.door.request('POST', '/v1/session/migration', {
      headers: { host: `${app}.session.localhost` },
      body: { token: randomUUID() },
    })

  const answers = Array.from({ length: 24 }, ask)
  const first = await Promise.race(answers)

  expect(first).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
  expect(asked).toBeLessThanOrEqual(16)
  await Promise.all(answers)
})

test('what became of them is counted by whose fault it is', async () => {
  const counted = async () =>
    Object.fromEntries(
      [
        ...(await metrics.text()).matchAll(
          /vigil_session_migrations_total\{result="(\w+)"\} (\d+)/g,
        ),
      ].map(([, result = '', count]) => [result, Number(count)]),
    )
  now += 3_600_000
  await shop.send('DELETE', `/v2/session/apps/${appId}/config/migration`)
  const before = await counted()
  await migrate()
  const after = await counted()

  expect(after['unconfigured']).toBe((before['unconfigured'] ?? 0) + 1)
  expect(after['faulted']).toBe(0)
  for (const result of ['migrated', 'refused', 'failed', 'crowded']) {
    expect(after[result], result).toBeGreaterThan(0)
  }
  const errors = (await metrics.text()).match(
    /vigil_http_requests_total\{[^}]*migration"[^}]*status="5\d\d"[^}]*\}/g,
  )
  expect(errors).toEqual([expect.stringContaining('status="502"')])
})

test('a legacy token stands in no line, answer or count, whatever becomes of it', async () => {
  const token = 'a-legacy-token-that-is-nobodys-business'
  const echo: Oddity = (socket) => {
    socket.end(`HTTP/1.1 500 ${token}\r\nX-Token: ${token}\r\n\r\n${token}`)
  }
  now += 3_600_000
  const texts: string[] = []
  for (const oddity of [answersWell, echo, sends(`${token}\r\n\r\n`), says(`{"${token}"`)]) {
    odd.answering = oddity
    const { text, headers } = await migrate(appId, token)
    texts.push(text, JSON.stringify(headers))
  }
  texts.push((await migrate(appId, `${token}${'x'.repeat(9_000)}`)).text)
  const { body } = await shop.send('GET', `/v2/session/apps/${appId}/users`)
  texts.push(JSON.stringify(body), await metrics.text(), ...lines)

  expect(lines.filter((line) => line.includes(appId)).length).toBeGreaterThan(3)
  expect(texts.filter((text) => text.includes(token))).toEqual([])
})

test('whoever was deleted comes back as somebody new', async () => {
  now += 3_600_000
  const users = `/v2/session/apps/${appId}/users`
  const idsOf = async () =>
    ((await shop.send('GET', users)).body['users'] as readonly { id: string }[]).map(({ id }) => id)
  await migrate()
  const [first] = await idsOf()
  await shop.send('DELETE', `${users}/${first}`)

  const again = await migrate()

  const [second, ...others] = await idsOf()
  expect([again.status, others]).toEqual([200, []])
  expect(second).not.toBe(first)
})
