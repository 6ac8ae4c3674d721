import fc from 'fast-check'
import { expect, test } from 'vitest'
import { senderOf } from '../../src/http/connections/takeConnections.ts'

const address = '192.0.2.1'
const read = (text: string) => {
  const sender = senderOf(Buffer.from(text, 'latin1'), address)
  return { ...sender, address: sender.address() }
}

test.each([
  ['as usual', 'POST /v2/watch/eval HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer a\r\n\r\n'],
  ['in other letters', 'POST /v2/watch/eval HTTP/1.1\r\nAUTHORIZATION:Bearer a  \r\n\r\n'],
  ['before it is complete', 'POST /v2/watch/eval HTTP/1.1\r\nAuthorization: Bearer a\r\nHo'],
])('the header with the token is found, written %s', (_, text) => {
  expect(read(text)).toEqual({ authorization: 'Bearer a', address, monitors: false })
})

test.each([
  ['that has not come as a whole', 'GET / HTTP/1.1\r\nAuthorization: Bear'],
  [
    'behind more than anybody sends',
    `GET / HTTP/1.1\r\nX: ${'x'.repeat(4_000)}\r\nAuthorization: B\r\n`,
  ],
  ['that another one only ends with', 'GET / HTTP/1.1\r\nX-Authorization: Bearer a\r\n\r\n'],
])('a header %s is none, and the address stands for the sender', (_, text) => {
  expect(read(text)).toEqual({ authorization: undefined, address, monitors: false })
})

test.each([
  ['GET /health/live HTTP/1.1\r\n', true],
  ['GET /metrics HTTP/1.1\r\n', true],
  ['GET /metrics?x=1 HTTP/1.1\r\n', true],
  ['GET /metricsandmore HTTP/1.1\r\n', false],
  ['GET /v2/watch/eval?/health/ HTTP/1.1\r\n', false],
  ['\x16\x03\x01', false],
])('%j is of whoever watches the service: %s', (text, expected) => {
  expect(read(text).monitors).toBe(expected)
})

test('whatever the bytes are, something is said of them', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 4_000 }), (bytes) => {
      const { authorization } = senderOf(Buffer.from(bytes), address)

      expect(authorization ?? '').not.toMatch(/[\r\n]/)
    }),
  )
})
