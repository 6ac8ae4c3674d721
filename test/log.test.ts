import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openLog, redactLine } from '../src/log.ts'

let folder: string
let file: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vigil-log-'))
  file = join(folder, 'log')
})

afterEach(() => rmSync(folder, { recursive: true }))

const linesOf = () =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

describe('the log', () => {
  test('has every line once it is closed, in order', async () => {
    const log = openLog({ level: 'info', destination: file })

    for (let n = 0; n < 1_000; n++) log.logger.info({ n }, 'counted')
    await log.close()

    expect(linesOf().map(({ n }) => n)).toEqual(Array.from({ length: 1_000 }, (_, n) => n))
  })

  test('leaves out what is below its level', async () => {
    const log = openLog({ level: 'warn', destination: file })

    log.logger.info('quiet')
    log.logger.warn('loud')
    await log.close()

    expect(linesOf()).toEqual([expect.objectContaining({ level: 40, msg: 'loud' })])
  })

  test('takes secrets out of errors, too', async () => {
    const log = openLog({ level: 'info', destination: file })

    log.logger.error({ err: new Error('no user a.b@c.example with +15551234567') }, 'failed')
    await log.close()

    const [line] = linesOf()
    expect(line.err.message).toBe('no user [redacted] with [redacted]')
    expect(line.err.stack).not.toContain('c.example')
  })
})

describe('a line is written without', () => {
  test.each([
    ['a phone number', { msg: 'to +44 20 7946 0018 now' }, '7946'],
    ['a phone number with parentheses', { msg: '+1 (555) 123-4567' }, '4567'],
    ['an email address', { msg: 'to jürgen@bücher.example now' }, 'jürgen'],
    ['an API token', { msg: 'got vgl_0a_0b_secret-part' }, 'secret-part'],
    ['an operator token', { msg: 'got vgo_secret-part' }, 'secret-part'],
    ['a bearer token', { msg: 'Authorization: Bearer hunter2' }, 'hunter2'],
    ['a JSON web token', { msg: 'got eyJhbGciOi.eyJzdWIi.c2lnbmF0dXJl' }, 'c2lnbmF0dXJl'],
    ['the value of a secret key', { body: { password: 'hunter2' } }, 'hunter2'],
    ['an address under its key', { signals: { ip: '203.0.113.7' } }, '203.0.113.7'],
    ['the value of a secret key in a text of JSON', { msg: '{"token": "hunter2"}' }, 'hunter2'],
  ])('%s', (_what, fields, secret) => {
    const line = redactLine(JSON.stringify(fields))

    expect(line).toContain('[redacted]')
    expect(line).not.toContain(secret)
  })

  test.each(['\n', '\t', '\r', '\b', '\f', '\u0001', '\\', '\\n', '"', ' ', ''])(
    'whatever stands before it, such as %j, and stays JSON',
    (before) => {
      const secrets = [
        'ann@example.com',
        'vgl_0a_0b_secret-part',
        'vgo_secret-part',
        'bearer hunter2',
        'eyJhbGciOi.eyJzdWIi.c2lnbmF0dXJl',
        '+14155552671',
      ]
      for (const secret of secrets) {
        const [own = ''] = secret.split(' ').slice(-1)
        const { msg } = JSON.parse(redactLine(JSON.stringify({ msg: `a${before}${secret}` })))
        const nested = JSON.parse(
          redactLine(JSON.stringify({ msg: JSON.stringify({ error: `a${before}${secret}` }) })),
        )

        expect(msg).toContain('[redacted]')
        expect(msg).not.toContain(own)
        expect(JSON.parse(nested.msg).error).not.toContain(own)
      }
    },
  )

  test('the value of a secret key, whatever it is made of, and stays JSON', () =>
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 0 }), (secret) => {
        const plain = redactLine(JSON.stringify({ password: secret, after: 1 }))
        const nested = redactLine(
          JSON.stringify({ msg: JSON.stringify({ password: secret, after: 1 }) }),
        )

        expect(JSON.parse(plain)).toEqual({ password: '[redacted]', after: 1 })
        expect(JSON.parse(JSON.parse(nested).msg)).toEqual({ password: '[redacted]', after: 1 })
      }),
    ))
})

test('a line without secrets stays as it is', () => {
  const line = JSON.stringify({
    time: 1_763_708_288_000,
    request_id: '01234567-89ab-4def-8123-456789abcdef',
    token_id: `tok_${'0'.repeat(26)}`,
    stack: 'at run (/srv/node_modules/@koa/router/dist/index.js:10:3)',
    msg: 'listening on 127.0.0.1:8080',
  })

  expect(redactLine(line)).toBe(line)
})
