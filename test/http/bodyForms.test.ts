import { once } from 'node:events'
import { Agent, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import Koa from 'koa'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Failure } from '../../src/domain/failure.ts'
import { assertJson } from '../../src/http/request/body/bodyReader.ts'
import { parseJson, readBodyBytes } from '../../src/http/request/body/jsonBody.ts'
import type { Context, RequestState, WithService } from '../../src/http/request/requestContext.ts'
import { readIdempotencyKey } from '../../src/http/request/requestHeaders.ts'
import { draws } from '../support/draws.ts'
import { sendRequest } from './support/sendRequest.ts'

function codeOf(act: () => unknown): string | undefined {
  try {
    act()
    return undefined
  } catch (error) {
    if (error instanceof Failure) return error.code
    throw error
  }
}

describe('an Idempotency-Key', () => {
  const read = (key: string | readonly string[] | undefined) =>
    readIdempotencyKey({
      req: { headers: key === undefined ? {} : { 'idempotency-key': key } },
    } as unknown as Context)

  test('need not be there', () => {
    expect(read(undefined)).toBeUndefined()
  })

  test.each(['a', '0', '~', '!', '"quoted"', 'a,b', '{"a":1}', 'x'.repeat(255), '\\', "'"])(
    'may be %s, and comes as it was sent',
    (key) => {
      expect(read(key)).toBe(key)
    },
  )

  test.each([
    ...[
      '',
      ' ',
      'a b',
      ' a',
      'a ',
      '\t',
      'a\u0000',
      'a\n',
      '\u007f',
      'é',
      '\u0080',
      '\u00a0',
      '😀',
    ],
    ...['x'.repeat(256)],
  ])('may not be %j', (key) => {
    expect(() => read(key)).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        details: [expect.objectContaining({ path: 'Idempotency-Key' })],
      }),
    )
  })

  test('may not be two', () => {
    expect(codeOf(() => read(['a', 'b']))).toBe('invalid_request')
  })

  test('is refused exactly where a character of it is not to be seen', () => {
    const text = fc.string({
      unit: fc.nat({ max: 0x17f }).map((code) => String.fromCharCode(code)),
      minLength: 1,
      maxLength: 6,
    })

    fc.assert(
      fc.property(text, (key) => {
        const visible = [...key].every((char) => char > ' ' && char < '\u007f')

        expect(codeOf(() => read(key))).toBe(visible ? undefined : 'invalid_request')
      }),
      { numRuns: draws(500) },
    )
  })
})

describe('the type of a body', () => {
  const assert = (
    type: string | undefined,
    more: Record<string, string> = { 'content-length': '2' },
  ) =>
    codeOf(() =>
      assertJson({
        headers: { ...more, ...(type !== undefined && { 'content-type': type }) },
      } as unknown as IncomingMessage),
    )

  test.each([
    'application/json',
    'APPLICATION/JSON',
    'Application/Json; Charset=UTF-8',
    'application/json;charset=utf-8',
    'application/json ; charset="utf-8"',
    'application/json; charset=utf8',
    'application/json; profile="x"',
    'application/json;',
    'application/json; charset=utf-8; charset=utf-8',
  ])('%s is read', (type) => {
    expect(assert(type)).toBeUndefined()
  })

  test.each([
    'text/plain',
    'application/jsonp',
    'application/json+x',
    'application/problem+json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/json',
    'json',
    '*/*',
    'application/json, text/plain',
    'text/plain; application/json',
    'application/json; charset=utf-16',
    'application/json; charset=iso-8859-1',
    'application/json; charset=utf-8; charset=latin1',
    'application/json; charset=',
    'application/json; charset',
  ])('%s is not', (type) => {
    expect(assert(type)).toBe('unsupported_media_type')
  })

  test('need not be said where there is no body, and must where there is one', () => {
    expect(assert(undefined, {})).toBeUndefined()
    expect(assert(undefined, { 'content-length': '0' })).toBeUndefined()
    expect(assert('', {})).toBeUndefined()
    expect(assert(undefined, { 'content-length': '1' })).toBe('unsupported_media_type')
    expect(assert(undefined, { 'transfer-encoding': 'chunked' })).toBe('unsupported_media_type')
    expect(assert('text/plain', {})).toBe('unsupported_media_type')
  })
})

describe('the text of a body', () => {
  const read = (text: string) => parseJson(Buffer.from(text))

  test('is what JSON says of it, for any object or list', () => {
    const value = fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue()))
    const reaching = (found: unknown): boolean =>
      typeof found === 'object' &&
      found !== null &&
      (Object.keys(found).includes('__proto__') || Object.values(found).some(reaching))

    fc.assert(
      fc.property(value, fc.constantFrom('', ' ', '\n\t', '\ufeff', '\ufeff '), (given, before) => {
        fc.pre(!reaching(given))

        expect(JSON.stringify(read(before + JSON.stringify(given)))).toBe(JSON.stringify(given))
      }),
      { numRuns: draws(200) },
    )
  })

  test('may be none at all', () => {
    expect(parseJson(Buffer.alloc(0))).toEqual({})
  })

  test.each([
    ...['null', 'true', '1', '"a"', '""', 'NaN', 'undefined', ' ', '\ufeff', '\ufeff\ufeff{}'],
    ...['{', '[', '{}{}', '{},', '[1,]', '{"a":1,}', "{'a':1}", '{a:1}', '// {}', '{"a":01}'],
    '{"a":+1}',
    ...['\u00a0{}', '\u2028{}', '{"a":"\n"}', '{"a":\u00a01}', '{"a":Infinity}', '<xml/>'],
  ])('is refused where it is %j', (text) => {
    expect(codeOf(() => read(text))).toBe('invalid_request')
  })

  test.each([
    ['ff', 'a byte that begins nothing'],
    ['7b2261223a22c3227d', 'half a character'],
    ['7b2261223a22eda080227d', 'half a surrogate pair'],
    ['7b2261223a22c080227d', 'a character longer than it need be'],
    ['7b2261223a22f4908080227d', 'a character beyond the last'],
    ['fffe7b007d00', 'UTF-16'],
    ['1f8b0800', 'something packed'],
  ])('is refused where its bytes are no UTF-8: %s, %s', (hex) => {
    expect(() => parseJson(Buffer.from(hex, 'hex'))).toThrow(
      expect.objectContaining({ details: [{ path: '', message: 'The body is not UTF-8.' }] }),
    )
  })

  test.each([
    '{"__proto__":1}',
    '{"a":{"__proto__":{"admin":true}}}',
    '[[{"a":[{"__proto__":null}]}]]',
    '{"__\\u0070roto__":1}',
    '{"\\u005f_proto_\\u005f":{}}',
  ])('is refused where a key could reach a prototype: %s', (text) => {
    expect(codeOf(() => read(text))).toBe('invalid_request')
  })

  test.each([
    '{"a":"__proto__"}',
    '["__proto__"]',
    '{"__proto":1}',
    '{"proto__":"\\u0070"}',
    '{"constructor":{"prototype":1}}',
  ])('is read where a value only sounds like it: %s', (text) => {
    expect(read(text)).toEqual(JSON.parse(text))
  })

  test('is read to 64 levels, and refused beyond them', () => {
    const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`

    expect(read(nested(64))).toBeInstanceOf(Array)
    for (const levels of [65, 100_000]) {
      expect(codeOf(() => read(`{"x":${nested(levels - 1)}}`))).toBe('invalid_request')
    }
  })

  test('is read however wide it is', () => {
    const wide = { escaped: '\n', list: Array(500_000).fill(1) }

    expect(read(JSON.stringify(wide).replace('\\n', '\\u000a'))).toEqual(wide)
  })

  test('never comes back in what is said of it', () => {
    for (const text of ['{"password":"hunter2"', '"hunter2"', '{"__proto__":"hunter2"}']) {
      expect(() => read(text)).toThrow(
        expect.not.objectContaining({ message: expect.stringContaining('hunter2') }),
      )
    }
  })
})

describe('the bytes of a body', () => {
  const bytes = Buffer.from('{"a":"é😀"}')
  const packed = {
    gzip: gzipSync(bytes),
    'x-gzip': gzipSync(bytes),
    deflate: deflateSync(bytes),
    br: brotliCompressSync(bytes),
  }
  let server: Server
  const agent = new Agent()

  beforeAll(async () => {
    const app = new Koa<RequestState, WithService>()
    app.use(async (ctx) => {
      const read = readBodyBytes(ctx, 'small')
      const answer = await read.then(
        (found) => found.toString('hex'),
        (error: unknown) => (error instanceof Failure ? error.code : `${error}`),
      )
      ctx.body = { answer }
    })
    server = app.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  afterAll(() => server.close())

  const send = async (body: Buffer, headers: Record<string, string> = {}) => {
    const { port } = server.address() as AddressInfo
    const place = { port, agent, method: 'POST', path: '/' }
    const received = await sendRequest<{ readonly answer: string }>(place, { body, headers })
    return received.body.answer
  }
  const sendAs = (encoding: string, body: Buffer) => send(body, { 'content-encoding': encoding })

  test('come as they were sent, whatever they are', async () => {
    const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))

    expect(await send(all)).toBe(all.toString('hex'))
    expect(await send(bytes)).toBe(bytes.toString('hex'))
    expect(await sendAs(' Identity ', bytes)).toBe(bytes.toString('hex'))
    expect(await send(all, { 'content-type': 'x/y; charset=utf-16' })).toBe(all.toString('hex'))
  })

  test.each(Object.entries(packed))('are unpacked from %s', async (encoding, sent) => {
    expect(await sendAs(encoding, sent)).toBe(bytes.toString('hex'))
    expect(await sendAs(encoding.toUpperCase(), sent)).toBe(bytes.toString('hex'))
  })

  test.each(['zstd', 'compress', 'gzip, gzip', 'gzip,br', 'constructor'])(
    'packed as %j are not read',
    async (encoding) => {
      expect(await sendAs(encoding, bytes)).toBe('unsupported_media_type')
    },
  )

  test.each(Object.entries(packed))(
    'that are no %s are refused, not a fault',
    async (encoding, sent) => {
      const broken = Buffer.from(sent)
      broken.fill(0xff, 0, broken.length - 1)

      expect(await sendAs(encoding, bytes)).toBe('invalid_request')
      expect(await sendAs(encoding, broken)).toBe('invalid_request')
      expect(await sendAs(encoding, sent.subarray(0, sent.length - 6))).toBe('invalid_request')
    },
  )

  test('may be as many as the limit, and not one more, as sent and unpacked', async () => {
    const most = Buffer.alloc(64 * 1024)
    const more = Buffer.alloc(64 * 1024 + 1)

    expect(await send(most)).toBe(most.toString('hex'))
    expect(await sendAs('gzip', gzipSync(most))).toBe(most.toString('hex'))
    for (const sent of [
      send(more),
      sendAs('gzip', gzipSync(more)),
      sendAs('deflate', deflateSync(more)),
      sendAs('br', brotliCompressSync(more)),
    ]) {
      expect(await sent).toBe('payload_too_large')
    }
  })

  test('that unpack to far more than the limit are not unpacked to the end', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024))
    const before = process.memoryUsage().arrayBuffers

    expect(await sendAs('gzip', bomb)).toBe('payload_too_large')
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 * 1024 * 1024)
  })
})
