import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openDoorOfFile } from '../support/openOfFile.ts'
import { exchange, lastAnswer } from './support/exchange.ts'
import { ids, memoryService, slowToRecord, tokenWith } from './support/memoryService.ts'
import { openDoorOfTest } from './support/openDoorOfTest.ts'

const door = await openDoorOfFile(memoryService())

const body = JSON.stringify({ flow_id: ids.flow, target: { phone_number: '+15551234567' } })
const close = 'Connection: close\r\n'
const authorized = `Authorization: Bearer ${tokenWith('eval')}\r\nContent-Type: application/json\r\n`
const chunk = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
const post = `POST /v2/watch/eval HTTP/1.1\r\n`

const chunked = `${post}Host: x\r\n${authorized}Transfer-Encoding:`
const many = 'X: y\r\n'
const long = 'x'.repeat(20_000)

/** What each request is refused for, by the status and code of the answer. */
const refused = {
  '400 invalid_request': {
    'that is not HTTP': 'HELLO\r\n\r\n',
    'of a method that HTTP does not have': 'FROB / HTTP/1.1\r\nHost: x\r\n\r\n',
    'of another version': 'GET / HTTP/9.9\r\nHost: x\r\n\r\n',
    'with a header that is none': 'GET / HTTP/1.1\r\nHost: x\r\nno header\r\n\r\n',
    'with two lengths': `${post}Host: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}`,
    'with a length and chunks, of which another server might believe the other': `${post}Host: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    'with chunks that are none': `${chunked} chunked\r\n\r\nzz\r\n`,
    'whose chunks are packed': `${chunked} gzip, chunked\r\n\r\n${chunk}`,
    'with chunks twice over': `${chunked} chunked\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}`,
    'without Host': `GET /health/live HTTP/1.1\r\n${close}\r\n`,
    'with two of it': `GET /health/live HTTP/1.1\r\nHost: x\r\nHost: y\r\n${close}\r\n`,
  },
  '431 headers_too_large': {
    'with headers that are too large': `GET / HTTP/1.1\r\nHost: x\r\nX: ${long}\r\n\r\n`,
    'with more headers than are read': `GET /health/live HTTP/1.1\r\nHost: x\r\n${many.repeat(100)}\r\n`,
    'with so many headers that the one that counts comes too late': `${post}Host: x\r\n${many.repeat(2_000)}${authorized}Content-Length: ${body.length}\r\n\r\n${body}`,
    'with an address that is too long': `GET /${long} HTTP/1.1\r\nHost: x\r\n\r\n`,
  },
  '413 payload_too_large': {
    'with chunks that say too much of themselves': `${chunked} chunked\r\n\r\n2;${long}\r\n{}\r\n0\r\n\r\n`,
  },
  '417 expectation_failed': {
    'that expects what nobody promised': `${post}Host: x\r\n${authorized}Expect: 200-ok\r\nContent-Length: 2\r\n\r\n`,
  },
}
const rows = Object.entries(refused).flatMap(([answered, texts]) =>
  Object.entries(texts).map(([what, text]) => [what, answered, text] as const),
)

test.each(rows)(
  'a request %s is answered %s with the error object of spec 7.1, and the connection is closed',
  async (_, answered, text) => {
    const [status = '', code] = answered.split(' ')

    const answer = lastAnswer(await exchange(door.port, text))

    expect(answer.status).toBe(Number(status))
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('connection')).toBe('close')
    expect(answer.body).toMatchObject({
      code,
      message: expect.any(String),
      type: expect.any(String),
      request_id: answer.headers.get('x-request-id'),
    })
  },
)

test.each([
  ['Host', `GET /health/live HTTP/1.1\r\n${close}\r\n`],
  ['', 'HELLO\r\n\r\n'],
])('the detail of such a request has the path %j', async (path, text) => {
  const { body: error } = lastAnswer(await exchange(door.port, text))

  expect(error).toMatchObject({ param: 'request', details: [{ path }] })
})

test('a request without Host is served when it is of HTTP/1.0, which has none', async () => {
  const received = await exchange(door.port, 'GET /health/live HTTP/1.0\r\n\r\n')

  expect(lastAnswer(received)).toMatchObject({ status: 200, body: { status: 'ok' } })
})

test('a request with as many headers as there may be is served', async () => {
  const most = `GET /health/live HTTP/1.1\r\nHost: x\r\n${close}${many.repeat(98)}\r\n`

  expect(lastAnswer(await exchange(door.port, most)).status).toBe(200)
})

test('a request whose body comes in chunks is served, in whatever letters it says so', async () => {
  const sent = `${post}Host: x\r\n${close}${authorized}Transfer-Encoding: Chunked\r\n\r\n${chunk}`

  expect(lastAnswer(await exchange(door.port, sent)).status).toBe(200)
})

test.each([
  ['the same', `Bearer ${tokenWith('eval')}`],
  ['another', `Bearer ${tokenWith('audit')}`],
  ['an empty one', ''],
])(
  'a request with two headers Authorization, %s, has no token that can be used',
  async (_, other) => {
    const headers = `Host: x\r\n${close}Content-Length: ${body.length}\r\n`
    const more = `authorization: ${other}\r\n`

    for (const both of [`${authorized}${more}`, `${more}${authorized}`]) {
      const answer = lastAnswer(await exchange(door.port, `${post}${headers}${both}\r\n${body}`))

      expect(answer).toMatchObject({ status: 401, body: { code: 'invalid_api_token' } })
    }
  },
)

test('a request that expects to be told to continue is told so', async () => {
  const received = await exchange(
    door.port,
    `${post}Host: x\r\n${authorized}${close}Expect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )

  expect(received).toMatch(/^HTTP\/1\.1 100 Continue\r\n/)
  expect(lastAnswer(received).status).toBe(200)
})

test.each([
  ['what is not HTTP', 'HELLO\r\n\r\n', '400'],
  ['a wish for a tunnel', 'CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n', '405'],
])('%s is refused behind the answers to what was asked before it', async (_, text, refused) => {
  const slow = await openDoorOfTest(slowToRecord(() => pause(50)))
  const evaluation = `${post}Host: x\r\n${authorized}Content-Length: ${body.length}\r\n\r\n${body}`
  const received = await exchange(slow.port, `${evaluation}${evaluation}${text}`)

  const answers = received.split('HTTP/1.1 ').slice(1)
  expect(answers.map((answer) => answer.slice(0, 3))).toEqual(['200', '200', refused])
})

test('what follows a request that was answered is refused in its turn', async () => {
  const received = await exchange(
    door.port,
    'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n',
    'HELLO\r\n\r\n',
  )

  const answers = received.split('HTTP/1.1 ').slice(1)
  expect(answers.map((answer) => answer.slice(0, 3))).toEqual(['200', '400'])
})
