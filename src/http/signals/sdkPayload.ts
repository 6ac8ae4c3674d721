/** Decodes the signals payload of the SDKs: protobuf, plain or compressed. */

import { inflateRawSync, inflateSync } from 'node:zlib'
import { BinaryReader } from '@bufbuild/protobuf/wire'
import { Failure } from '../../domain/failure.ts'
import { devicePlatforms } from '../../domain/signals/signals.ts'
import { invalidBodyFailure } from '../request/body/jsonBody.ts'
import type { FrontEndDispatchBody } from './frontEndBody.ts'
import { pickSignals } from './normalizeSignals.ts'

/** What is read of a payload; omitted fields are absent. */
interface Payload {
  id?: string
  appVersion?: string
  userAgent?: string
  /** A platform by its number. */
  platform?: number
  osRelease?: string
  systemName?: string
  systemVersion?: string
  model?: string
}

/** The fields of a message that are read, by their numbers: texts and numbers by name, messages by their own fields. */
interface Fields {
  readonly [number: number]: keyof Payload | Fields
}

const payloadFields: Fields = {
  1: 'id',
  // application, with the browser in it
  5: { 2: 'appVersion', 5: { 1: 'userAgent' } },
  // device
  6: { 1: 'platform', 6: 'osRelease', 8: 'systemName', 9: 'systemVersion' },
  // hardware
  7: { 2: 'model' },
}

const [apple, android, web] = [1, 2, 3]

/** How long a payload may be once unpacked: that of a browser has one or two thousand bytes. */
const unpackedMax = 128 * 1024

/**
 * Decodes a payload and checks only its form. `encoding` is that of the request. Throws `invalid_request` for a malformed payload,
 * `payload_too_large` for one that is longer unpacked than any real one.
 */
export function decodeSdkPayload(bytes: Buffer, encoding: string): FrontEndDispatchBody {
  const { id = '', ...payload } = decode(encoding === 'identity' ? bytes : unpack(bytes))
  return { dispatch_id: id, signals: pickSignals(toSignals(payload), undefined) }
}

/** Raw DEFLATE is what the SDKs send under the name `deflate`; with the header of zlib it is what the name means (RFC 9110, 8.4.1.2). */
function unpack(bytes: Buffer): Buffer {
  const inflate = hasZlibHeader(bytes) ? inflateSync : inflateRawSync
  try {
    const unpacked: unknown = inflate(bytes, { maxOutputLength: unpackedMax, info: true })
    const { buffer, engine } = unpacked as Unpacked
    // what is behind the end that it found `inflate` leaves unread
    if (engine.bytesWritten === bytes.length) return buffer
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_BUFFER_TOO_LARGE') {
      throw new Failure('payload_too_large', 'The body is too large once it is unpacked.')
    }
  }
  throw invalidBodyFailure('The body is not what its Content-Encoding says.')
}

/** What Node answers with `info`, which its types do not say. */
interface Unpacked {
  readonly buffer: Buffer
  /** How many bytes went into it. */
  readonly engine: { readonly bytesWritten: number }
}

/** The method is DEFLATE, and the two bytes are a multiple of 31 (RFC 1950, 2.2). */
function hasZlibHeader(bytes: Buffer): boolean {
  if (bytes.length < 2) return false
  const [method = 0] = bytes
  return (method & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0
}

function decode(bytes: Buffer): Payload {
  try {
    return readFields(bytes, payloadFields, {})
  } catch {
    // whatever the decoder stumbles over, the bytes are not what they claim to be
    throw invalidBodyFailure('The body is no payload of signals.')
  }
}

function readFields(bytes: Uint8Array, fields: Fields, into: Payload): Payload {
  const reader = new BinaryReader(bytes)
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag()
    const field = fields[number]
    if (field === undefined) reader.skip(type, number)
    else if (typeof field === 'object') readFields(reader.bytes(), field, into)
    else if (field === 'platform') into.platform = reader.uint32()
    else into[field] = reader.string(true)
  }
  return into
}

function toSignals(payload: Payload): FrontEndDispatchBody['signals'] {
  const { appVersion = '', userAgent = '', model = '', osRelease = '', systemVersion } = payload
  const platform = toDevicePlatform(payload)
  return {
    app_version: appVersion,
    user_agent: userAgent,
    device_model: model,
    // a browser gives its own version as the system's
    os_version: platform === 'web' ? osRelease : systemVersion || osRelease,
    ...(platform !== undefined && { device_platform: platform }),
  }
}

function toDevicePlatform({ platform, systemName = '' }: Payload) {
  switch (platform) {
    case web:
      return 'web'
    case android:
      return 'android'
    case apple:
      return devicePlatforms.find((known) => known === systemName.toLowerCase()) ?? 'ios'
    default:
      return undefined
  }
}
