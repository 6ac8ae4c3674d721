import type { IncomingMessage } from 'node:http'
import { PassThrough, Readable } from 'node:stream'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Failure } from '../../src/domain/failure.ts'
import { readBodyBytes } from '../../src/http/request/bodyBytes.ts'
import { assertJson } from '../../src/http/request/contentType.ts'
import type { Context } from '../../src/http/request/context.ts'
import { readIdempotencyKey } from '../../src/http/request/defineRoute.ts'
import { parseJson } from '../../src/http/request/jsonText.ts'
import { draws } from '../support/draws.ts'

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
    ...[
      '{',
      '[',
      '{}{}',
      '{},',
      '[1,]',
      '{"a":1,}',
      "{'a':1}",
      '{a:1}',
      '// {}',
      '{"a":01}',
      '{"a":+1}',
    ],
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
  function request(bytes: Uint8Array, headers: Record<string, string> = {}): IncomingMessage {
    return Object.assign(Readable.from([bytes], { objectMode: false }), {
      headers,
    }) as unknown as IncomingMessage
  }
  const bytes = Buffer.from('{"a":"é😀"}')
  const packed = {
    gzip: gzipSync(bytes),
    'x-gzip': gzipSync(bytes),
    deflate: deflateSync(bytes),
    br: brotliCompressSync(bytes),
  }
  const refusal = (read: Promise<Buffer>) =>
    read.then(
      () => undefined,
      (error: unknown) => (error instanceof Failure ? error.code : `${error}`),
    )

  test('come as they were sent', async () => {
    expect(await readBodyBytes(request(bytes), 100)).toEqual(bytes)
    expect(await readBodyBytes(request(bytes, { 'content-encoding': 'identity' }), 100)).toEqual(
      bytes,
    )
    expect(await readBodyBytes(request(bytes, { 'content-encoding': ' Identity ' }), 100)).toEqual(
      bytes,
    )
  })

  test.each(Object.entries(packed))('are unpacked from %s', async (encoding, sent) => {
    const headers = { 'content-encoding': encoding }

    expect(await readBodyBytes(request(sent, headers), 100)).toEqual(bytes)
    expect(
      await readBodyBytes(request(sent, { 'content-encoding': encoding.toUpperCase() }), 100),
    ).toEqual(bytes)
  })

  test.each(['zstd', 'compress', 'gzip, gzip', 'gzip,br', '', 'constructor'])(
    'packed as %j are not read',
    async (encoding) => {
      const read = readBodyBytes(request(bytes, { 'content-encoding': encoding }), 100)

      expect(await refusal(read)).toBe('unsupported_media_type')
    },
  )

  test.each(Object.entries(packed))(
    'that are no %s are refused, not a fault',
    async (encoding, sent) => {
      const headers = { 'content-encoding': encoding }
      const broken = Buffer.from(sent)
      broken.fill(0xff, 0, broken.length - 1)

      expect(await refusal(readBodyBytes(request(bytes, headers), 100))).toBe('invalid_request')
      expect(await refusal(readBodyBytes(request(broken, headers), 100))).toBe('invalid_request')
      expect(
        await refusal(readBodyBytes(request(sent.subarray(0, sent.length - 6), headers), 100)),
      ).toBe('invalid_request')
    },
  )

  test.each(Object.entries(packed))(
    'that go on behind the end of their %s are refused, however they arrive',
    async (encoding, sent) => {
      const headers = { 'content-encoding': encoding }
      const longer = Buffer.concat([sent, Buffer.from([0, 0, 0])])
      const inParts = Object.assign(Readable.from([sent, Buffer.from([0])]), { headers })

      expect(await refusal(readBodyBytes(request(longer, headers), 100))).toBe('invalid_request')
      expect(await refusal(readBodyBytes(inParts as unknown as IncomingMessage, 100))).toBe(
        'invalid_request',
      )
    },
  )

  test('are neither looked at nor kept once a look at them throws', async () => {
    const stream = new PassThrough()
    const looked: number[] = []
    const read = readBodyBytes(
      Object.assign(stream, { headers: {} }) as unknown as IncomingMessage,
      1_000_000,
      (chunk) => {
        looked.push(chunk.length)
        if (looked.length === 3) throw new Failure('invalid_request', 'That is enough.')
      },
    )
    const refused = refusal(read)
    for (let sent = 0; sent < 5; sent += 1) {
      stream.write(Buffer.alloc(100))
      await new Promise((resolve) => setImmediate(resolve))
    }

    expect(await refused).toBe('invalid_request')
    expect(looked).toEqual([100, 100, 100])
    expect(stream.listenerCount('data')).toBe(0)
    // nobody holds what came before
    expect(stream.listenerCount('aborted')).toBe(0)
    expect(stream.readableLength).toBe(0)
  })

  test.each(Object.entries({ identity: bytes, ...packed }))(
    'of a client that left before anybody read them as %s are refused, not waited for',
    async (encoding, sent) => {
      const gone = request(sent, { 'content-encoding': encoding })
      gone.destroy()

      expect(await refusal(readBodyBytes(gone, 100))).toBe('invalid_request')
    },
  )

  test('that were read are held by nobody else, nor is their request listened to', async () => {
    const sent = request(bytes)
    const listeners = () =>
      ['data', 'end', 'aborted', 'error'].map((event) => sent.listenerCount(event))
    const before = listeners()

    await readBodyBytes(sent, 100)

    expect(listeners()).toEqual(before)
  })

  /** A request as its handler finds it whose body came with its headers. */
  async function requestThatIsThere(
    chunks: readonly Uint8Array[],
    headers: Record<string, string> = {},
  ): Promise<IncomingMessage> {
    const stream = new PassThrough()
    for (const chunk of chunks) stream.write(chunk)
    stream.end()
    await new Promise((resolve) => setImmediate(resolve))
    return Object.assign(stream, { headers, complete: true }) as unknown as IncomingMessage
  }

  test('that have come before they are asked for are taken without listening', async () => {
    const sent = await requestThatIsThere([bytes.subarray(0, 4), bytes.subarray(4)], {
      'content-length': String(bytes.length),
    })
    const looked: string[] = []
    let ended = false
    sent.once('end', () => {
      ended = true
    })

    const read = readBodyBytes(sent, 100, (chunk) => looked.push(chunk.toString()))

    expect(sent.listenerCount('data')).toBe(0)
    expect(await read).toEqual(bytes)
    expect(looked.join('')).toBe(bytes.toString())
    await new Promise((resolve) => setImmediate(resolve))
    // so that the connection serves the next request
    expect(ended).toBe(true)
  })

  test('that have come are refused as those that come are', async () => {
    const codeOf = async (headers: Record<string, string>, limit: number) =>
      refusal(readBodyBytes(await requestThatIsThere([bytes], headers), limit))
    const gone = await requestThatIsThere([bytes])
    gone.destroy()
    const look = () => {
      throw new Failure('invalid_request', 'That is enough.')
    }

    expect(await codeOf({}, bytes.length)).toBeUndefined()
    expect(await codeOf({}, bytes.length - 1)).toBe('payload_too_large')
    expect(await codeOf({ 'content-length': '5' }, 100)).toBe('invalid_request')
    expect(await codeOf({ 'content-length': '50' }, 100)).toBe('invalid_request')
    expect(await refusal(readBodyBytes(gone, 100))).toBe('invalid_request')
    expect(await refusal(readBodyBytes(await requestThatIsThere([bytes]), 100, look))).toBe(
      'invalid_request',
    )
    expect(await readBodyBytes(await requestThatIsThere([]), 100)).toEqual(Buffer.alloc(0))
  })

  test('may be as many as the limit, and not one more', async () => {
    const limit = bytes.length

    expect(await readBodyBytes(request(bytes), limit)).toEqual(bytes)
    expect(await refusal(readBodyBytes(request(bytes), limit - 1))).toBe('payload_too_large')
    for (const [encoding, sent] of Object.entries(packed)) {
      const headers = { 'content-encoding': encoding }
      expect(await readBodyBytes(request(sent, headers), limit)).toEqual(bytes)
      expect(await refusal(readBodyBytes(request(sent, headers), limit - 1))).toBe(
        'payload_too_large',
      )
    }
  })

  test('that unpack to far more than the limit are not unpacked to the end', async () => {
    const large = Buffer.alloc(64 * 1024 * 1024)
    const before = process.memoryUsage().arrayBuffers

    const read = refusal(
      readBodyBytes(request(gzipSync(large), { 'content-encoding': 'gzip' }), 64 * 1024),
    )

    expect(await read).toBe('payload_too_large')
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 * 1024 * 1024)
  })

  test('that say they are more than the limit are not read at all', async () => {
    const sent = request(packed.gzip, { 'content-encoding': 'gzip', 'content-length': '1000' })

    expect(await refusal(readBodyBytes(sent, 100))).toBe('payload_too_large')
    expect(sent.readableFlowing).not.toBe(true)
  })

  test('that are fewer or more than they say are refused', async () => {
    for (const length of ['5', '50']) {
      const read = readBodyBytes(request(bytes, { 'content-length': length }), 100)

      expect(await refusal(read)).toBe('invalid_request')
    }
  })
})
