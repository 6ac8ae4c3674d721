import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { recordFrontEndDispatch } from '../../src/commands/signals/dispatches.ts'
import { Failure } from '../../src/domain/failure.ts'
import { decodeSdkPayload } from '../../src/http/signals/frontEndBody.ts'
import { draws } from '../support/draws.ts'
import { memoryService, sdkKey } from './support/memoryService.ts'
import { type Door, openDoor } from './support/openDoor.ts'

vi.mock('../../src/commands/signals/dispatches.ts', async (load) => ({
  ...(await load<object>()),
  recordFrontEndDispatch: vi.fn(),
}))
const dispatched = vi.mocked(recordFrontEndDispatch)
dispatched.mockImplementation(async (_, __, { dispatch_id }) => ({ dispatch_id, repeated: false }))
let door: Door
beforeAll(async () => {
  const unlimited = { perSecond: 100_000, burst: 100_000 }
  door = await openDoor(memoryService(), {
    frontEnds: { keyRate: unlimited, addressRate: unlimited },
  })
})
afterAll(() => door.close())

const packedHeaders = {
  'x-sdk-key': sdkKey,
  'content-type': 'application/vnd.prelude.signals',
  'content-encoding': 'deflate',
}
const send = (body: Buffer, headers: Record<string, string> = {}) =>
  door.request('POST', '/v1/signals', { body, headers: { ...packedHeaders, ...headers } })

/** A message by its field numbers: texts, numbers, messages of such, and lists of what stands there several times. */
interface Fields {
  readonly [number: number]: Part | readonly Part[]
}
type Part = string | number | Fields

/** The message as any client of protobuf writes it. */
function message(fields: Fields): Uint8Array {
  const writer = new BinaryWriter()
  for (const [name, parts] of Object.entries(fields)) {
    for (const part of [parts].flat() as readonly Part[]) write(writer, Number(name), part)
  }
  return writer.finish()
}

function write(writer: BinaryWriter, number: number, part: Part): void {
  if (typeof part === 'number') writer.tag(number, WireType.Varint).uint32(part)
  else if (typeof part === 'string') writer.tag(number, WireType.LengthDelimited).string(part)
  else writer.tag(number, WireType.LengthDelimited).bytes(message(part))
}

const packed = (fields: Fields): Buffer => deflateRawSync(message(fields))

const id = '0198c0de-7f4a-7b2c-9d1e-3a5b7c9d1e3f'
const web: Fields = {
  1: id,
  2: { 1: 1_763_700_000, 2: 5 },
  5: { 1: 'shop', 2: '4.2.0', 5: { 1: 'Mozilla/5.0', 2: '4g', 4: 1 }, 6: { 1: '0.6.0' } },
  6: {
    ...{ 1: 3, 6: '14.5.0', 7: 'macOS', 8: 'Chromium', 9: '156' },
    13: ['en', 'de'],
    19: { 3: { 1: 'midi', 2: 3 } },
  },
  7: { 1: 'Chromium', 2: 'Chromium-156', 4: 8 },
  8: { 1: 0 },
  9: { 1: 2, 2: 'sixteen bytes...' },
  10: '',
}

describe('the payload of a browser', () => {
  test('is read by its field numbers, and what is not known is skipped', async () => {
    const { status, body } = await send(packed(web), { 'x-sdk-dispatchid': id })

    expect(status).toBe(201)
    expect(body).toEqual({ dispatch_id: id })
    expect(dispatched.mock.lastCall?.[2]).toMatchObject({
      dispatch_id: id,
      sentSignals: {
        device_platform: 'web',
        device_model: 'Chromium-156',
        os_version: '14.5.0',
        app_version: '4.2.0',
        user_agent: 'Mozilla/5.0',
      },
    })
  })

  test('is read stored, with the header of zlib, and unpacked', async () => {
    const bytes = message(web)
    const stored = deflateRawSync(bytes, { level: 0 })

    expect(stored[0]).toBe(1)
    expect((await send(stored)).status).toBe(201)
    expect((await send(deflateSync(bytes))).status).toBe(201)
    expect((await send(Buffer.from(bytes), { 'content-encoding': 'identity' })).status).toBe(201)
  })

  test('may leave everything out but its id', () => {
    expect(decodeSdkPayload(packed({ 1: id }), 'deflate')).toEqual({
      dispatch_id: id,
      signals: {},
    })
  })
})

test.each([
  [[1, 'iPadOS', '17.4'], { device_platform: 'ipados', os_version: '17.4' }],
  [[1, 'tvOS', ''], { device_platform: 'tvos', os_version: '23.4.0' }],
  [[1, 'iPhone OS', '17.4'], { device_platform: 'ios', os_version: '17.4' }],
  [[2, 'Android', '16'], { device_platform: 'android', os_version: '16' }],
  [[0, '', ''], { os_version: '23.4.0' }],
  [[7, '', ''], { os_version: '23.4.0' }],
] as const)(
  'a device that says platform, system and version %j is %j',
  ([platform, name, version], signals) => {
    const device = { 1: platform, 6: '23.4.0', 8: name, 9: version }

    expect(decodeSdkPayload(packed({ 1: id, 6: device }), 'deflate').signals).toEqual(signals)
  },
)

describe('a body that is no payload is refused', () => {
  test.each([
    ['nothing', Buffer.alloc(0), 400],
    ['noise', Buffer.from('ffffffffff', 'hex'), 400],
    ['a stream that ends early', packed(web).subarray(0, 40), 400],
    ['bytes behind the end of a stream', Buffer.concat([packed(web), Buffer.from('zzz')]), 400],
    ['a byte behind it', Buffer.concat([packed(web), Buffer.alloc(1)]), 400],
    [
      'bytes behind the end of a stored one',
      Buffer.concat([deflateRawSync(message(web), { level: 0 }), Buffer.from('zzz')]),
      400,
    ],
    [
      'bytes behind the end of one with the header of zlib',
      Buffer.concat([deflateSync(message(web)), Buffer.from('zzz')]),
      400,
    ],
    ['a message that ends early', deflateRawSync(message(web).subarray(0, 50)), 400],
    ['JSON', deflateRawSync(Buffer.from('{"dispatch_id": 1}')), 400],
    ['a text that is not UTF-8', deflateRawSync(Buffer.from([10, 2, 0xc3, 0x28])), 400],
    ['a group that never ends', deflateRawSync(Buffer.alloc(100_000, 0x1b)), 400],
    ['a length beyond its end', deflateRawSync(Buffer.from([10, 0xff, 0xff, 0xff, 0xff, 7])), 400],
    ['an id of another length', packed({ 1: 'short' }), 400],
    ['a text longer than any device has', packed({ 1: id, 5: { 2: 'x'.repeat(1_025) } }), 400],
    ['a bomb', deflateRawSync(Buffer.alloc(20 * 1024 * 1024)), 413],
    ['more than a payload has', Buffer.alloc(33 * 1024), 413],
  ])('%s', async (_, body, status) => {
    const calls = dispatched.mock.calls.length

    const refused = await send(body)

    expect(refused.status).toBe(status)
    expect(refused.body).toHaveProperty('code')
    expect(refused.headers['access-control-allow-origin']).toBe('*')
    expect(dispatched.mock.calls).toHaveLength(calls)
  })

  test('whatever else it is packed by, or sent as', async () => {
    const gzipped = await send(gzipSync(message(web)), { 'content-encoding': 'gzip' })
    const untyped = await send(packed(web), { 'content-type': 'application/octet-stream' })

    expect([gzipped.status, untyped.status]).toEqual([415, 415])
  })
})

test('a bomb costs no more than the limit', () => {
  const zeroes = 64 * 1024 * 1024
  const bomb = deflateRawSync(Buffer.alloc(zeroes))
  const before = process.memoryUsage().arrayBuffers

  expect(() => decodeSdkPayload(bomb, 'deflate')).toThrow(/too large/)

  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(zeroes / 8)
})

/** Bytes as hostile clients make them: noise, fields of any number and kind, payloads with bytes changed. */
const hostile = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc
    .array(
      fc.tuple(
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 0, max: 7 }),
        fc.uint8Array({ maxLength: 20 }),
      ),
      { maxLength: 20 },
    )
    .map((fields) =>
      Buffer.concat(fields.map(([no, type, rest]) => Buffer.from([(no << 3) | type, ...rest]))),
    ),
  fc
    .array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 8 })
    .map((changes) => {
      const bytes = Buffer.from(message(web))
      for (const [place, byte] of changes) bytes[place % bytes.length] = byte
      return bytes
    }),
)

test('no bytes do anything but to be read or refused', () =>
  fc.assert(
    fc.property(hostile, fc.boolean(), (bytes, isPacked) => {
      const [body, encoding] = isPacked
        ? [deflateRawSync(bytes), 'deflate']
        : [Buffer.from(bytes), 'identity']
      try {
        const { dispatch_id, signals } = decodeSdkPayload(body, encoding)
        for (const value of [dispatch_id, ...Object.values(signals)]) {
          expect(typeof value).toBe('string')
        }
      } catch (error) {
        expect(error).toBeInstanceOf(Failure)
        expect((error as Failure).code).toBe('invalid_request')
      }
    }),
    { numRuns: draws(2_000) },
  ))

test('no bytes bring the door to a 500', () =>
  fc.assert(
    fc.asyncProperty(hostile, fc.boolean(), async (bytes, isPacked) => {
      const body = isPacked ? deflateRawSync(bytes) : Buffer.from(bytes)

      const { status } = await send(body)

      expect([201, 400]).toContain(status)
    }),
    { numRuns: draws(100) },
  ))
