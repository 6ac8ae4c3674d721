import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { openDoorOfFile } from '../support/openOfFile.ts'
import { ids, memoryService, tokenWith } from './support/memoryService.ts'
import { openDoor } from './support/openDoor.ts'

const door = await openDoorOfFile(memoryService())

const next = 'GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
const authorized = `Authorization: Bearer ${tokenWith('eval')}`
const json = 'Content-Type: application/json'
const gzip = 'Content-Encoding: gzip'
const evaluation = 'POST /v2/watch/eval HTTP/1.1'
const valid = JSON.stringify({ flow_id: ids.flow, target: { phone_number: '+15551234567' } })
const large = Buffer.alloc(1024 * 1024, ' ')
// half of it is left when it is packed
const hardToPack = randomBytes(1024 * 1024).map((byte) => byte & 0x0f)

function post(lines: readonly string[], body: Buffer): Buffer {
  const head = ['Host: x', `Content-Length: ${body.length}`]
  const [first = '', ...more] = lines
  return Buffer.concat([Buffer.from([first, ...head, ...more, '', ''].join('\r\n')), body])
}

function postChunked(lines: readonly string[], body: Buffer): Buffer {
  const [first = '', ...more] = lines
  const head = [first, 'Host: x', 'Transfer-Encoding: chunked', ...more, '', ''].join('\r\n')
  const chunks: Buffer[] = []
  for (let at = 0; at < body.length; at += 50_000) {
    const chunk = body.subarray(at, at + 50_000)
    chunks.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'))
  }
  return Buffer.concat([Buffer.from(head), ...chunks, Buffer.from('0\r\n\r\n')])
}

/** The statuses of the answers on one connection, on which one more is asked when it has answered, or at once. */
function statusesOf(
  sent: Buffer,
  when: 'answered' | 'at once',
  port = door.port,
): Promise<readonly number[]> {
  return new Promise((resolve, reject) => {
    let answers = ''
    let isAnswered = false
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(sent)
      if (when === 'at once') socket.write(next)
    })
    socket.on('data', (chunk) => {
      answers += chunk.toString('latin1')
      if (when === 'answered' && !isAnswered && /^HTTP\/1\.1 [2-5]/m.test(answers)) {
        isAnswered = true
        socket.write(next)
      }
    })
    socket.on('error', reject)
    socket.on('close', () => {
      const statuses = [...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) =>
        Number(status),
      )
      resolve(statuses)
    })
  })
}

describe.each(['answered', 'at once'] as const)(
  'the next request on the connection, sent %s, is answered when one before it was refused for',
  (when) => {
    test.each([
      ['a length over the limit', post([evaluation, authorized, json], large), 413],
      ['more chunks than the limit', postChunked([evaluation, authorized, json], large), 413],
      ['a list', post([evaluation, authorized, json], Buffer.from(`[${'1,'.repeat(999)}1]`)), 400],
      [
        'a body that unpacks to more',
        post(
          [evaluation, authorized, json, gzip],
          Buffer.concat([gzipSync(large), randomBytes(50_000)]),
        ),
        413,
      ],
      [
        'more packed chunks than the limit',
        postChunked([evaluation, authorized, json, gzip], gzipSync(hardToPack)),
        413,
      ],
      [
        'a body that is not packed as it says',
        postChunked([evaluation, authorized, json, gzip], large),
        400,
      ],
      [
        'an encoding nobody knows',
        post([evaluation, authorized, json, 'Content-Encoding: x'], large),
        415,
      ],
      [
        'a type nobody reads',
        post([evaluation, authorized, 'Content-Type: text/plain'], large),
        415,
      ],
      ['no token', post([evaluation, json], large), 401],
      [
        'a scope it lacks',
        post([evaluation, `Authorization: Bearer ${tokenWith('audit')}`, json], large),
        403,
      ],
      ['a path nobody serves', post(['POST /nothing HTTP/1.1', authorized, json], large), 404],
      [
        'a method nobody serves',
        post(['PUT /v2/watch/eval HTTP/1.1', authorized, json], large),
        405,
      ],
      ['a host it does not name', post([evaluation, 'Host: y', authorized, json], large), 400],
      ['a GET with a body', post(['GET /health/live HTTP/1.1'], large), 200],
      [
        'nothing, with bytes behind the end of a packed body',
        postChunked(
          [evaluation, authorized, json, 'Content-Encoding: br'],
          Buffer.concat([brotliCompressSync(valid), large]),
        ),
        200,
      ],
    ])('%s', async (_, sent, status) => {
      expect(await statusesOf(sent, when)).toEqual([status, 200])
    })
  },
)
test('a client that waits to be told to continue is told so, refused, and goes on', async () => {
  const waiting = post([evaluation, json, 'Expect: 100-continue'], large)

  expect(await statusesOf(waiting, 'answered')).toEqual([100, 401, 200])
})

test('a client over its rate goes on where it was', async () => {
  const limited = await openDoor(memoryService(), { rateLimit: { perSecond: 1e-6, burst: 1 } })
  const sent = post([evaluation, authorized, json], large)
  try {
    expect(await statusesOf(Buffer.concat([sent, sent]), 'at once', limited.port)).toEqual([
      413, 429, 200,
    ])
  } finally {
    await limited.close()
  }
})
