/** Decodes the signals payload of the SDKs: protobuf, plain or compressed. */

import { inflateRawSync, inflateSync } from 'node:zlib'
import {
  createFileRegistry,
  type DescMessage,
  fromBinary,
  fromJson,
  toJson,
} from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'
import { Failure } from '../../domain/failure.ts'
import { devicePlatforms } from '../../domain/signals/signals.ts'
import { malformed } from '../request/body/bodyBytes.ts'
import type { SentDispatch } from './frontEndBody.ts'
import { pickSignals } from './readSignals.ts'

const messages: Readonly<Record<string, FieldTable>> = {
  Payload: {
    id: [1, 'TYPE_STRING'],
    application: [5, '.signals.Application'],
    device: [6, '.signals.Device'],
    hardware: [7, '.signals.Hardware'],
  },
  Application: { version: [2, 'TYPE_STRING'], web: [5, '.signals.WebPlatform'] },
  WebPlatform: { userAgent: [1, 'TYPE_STRING'] },
  Device: {
    platform: [1, '.signals.Platform'],
    osRelease: [6, 'TYPE_STRING'],
    systemName: [8, 'TYPE_STRING'],
    systemVersion: [9, 'TYPE_STRING'],
  },
  Hardware: { model: [2, 'TYPE_STRING'] },
}

const platforms = ['UNKNOWN', 'APPLE', 'ANDROID', 'WEB'] as const

const payloadMessage: DescMessage = describePayload()

/** How long a payload may be once unpacked: that of a browser has one or two thousand bytes. */
const unpackedMax = 128 * 1024

/** Messages may stand in one another so often, what is unknown included. */
const depthMax = 20

/**
 * Decodes a payload and checks only its form. `encoding` is that of the request. Throws `invalid_request` for a malformed payload,
 * `payload_too_large` for one that is longer unpacked than any real one.
 */
export function readPackedPayload(bytes: Buffer, encoding: string): SentDispatch {
  const { id = '', ...parts } = decode(encoding === 'identity' ? bytes : unpack(bytes))
  return { dispatch_id: id, signals: pickSignals(signalsOf(parts), undefined) }
}

/** Raw DEFLATE is what the SDKs send under the name `deflate`; with the header of zlib it is what the name means (RFC 9110, 8.4.1.2). */
function unpack(bytes: Buffer): Buffer {
  const inflate = hasZlibHeader(bytes) ? inflateSync : inflateRawSync
  try {
    const unpacked: unknown = inflate(bytes, { maxOutputLength: unpackedMax, info: true })
    const { buffer, engine } = unpacked as Unpacked
    if (engine.bytesWritten === bytes.length) return buffer
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_BUFFER_TOO_LARGE') {
      throw new Failure('payload_too_large', 'The body is too large once it is unpacked.')
    }
    throw encodingMismatch()
  }
  // what is behind the end that it found `inflate` leaves unread
  throw encodingMismatch()
}

/** What Node answers with `info`, which its types do not say. */
interface Unpacked {
  readonly buffer: Buffer
  /** How many bytes went into it. */
  readonly engine: { readonly bytesWritten: number }
}

function encodingMismatch(): Failure {
  return malformed('The body is not what its Content-Encoding says.')
}

/** The method is DEFLATE, and the two bytes are a multiple of 31 (RFC 1950, 2.2). */
function hasZlibHeader(bytes: Buffer): boolean {
  if (bytes.length < 2) return false
  const [method = 0] = bytes
  return (method & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0
}

function decode(bytes: Buffer): Payload {
  try {
    const message = fromBinary(payloadMessage, bytes, {
      readUnknownFields: false,
      recursionLimit: depthMax,
    })
    return toJson(payloadMessage, message) as Payload
  } catch {
    // whatever the decoder stumbles over, the bytes are not what they claim to be
    throw malformed('The body is no payload of signals.')
  }
}

function signalsOf({
  application = {},
  device = {},
  hardware = {},
}: Payload): SentDispatch['signals'] {
  const { version: app_version = '', web: { userAgent: user_agent = '' } = {} } = application
  const { osRelease = '', systemVersion = '' } = device
  const platform = platformOf(device)
  return {
    app_version,
    user_agent,
    device_model: hardware.model ?? '',
    // a browser gives its own version as the system's
    os_version: platform === 'web' ? osRelease : systemVersion || osRelease,
    ...(platform !== undefined && { device_platform: platform }),
  }
}

function platformOf({ platform, systemName = '' }: NonNullable<Payload['device']>) {
  switch (platform) {
    case 'WEB':
      return 'web'
    case 'ANDROID':
      return 'android'
    case 'APPLE':
      return devicePlatforms.find((known) => known === systemName.toLowerCase()) ?? 'ios'
    default:
      return undefined
  }
}

type Kind = 'TYPE_STRING' | `.signals.${string}`

/** A field by its name: its number, and what it holds. */
type FieldTable = Readonly<Record<string, readonly [number: number, kind: Kind]>>

/** A payload as JSON; omitted fields are absent. */
interface Payload {
  readonly id?: string
  readonly application?: {
    readonly version?: string
    readonly web?: { readonly userAgent?: string }
  }
  readonly device?: {
    /** A number is a platform that is not known. */
    readonly platform?: (typeof platforms)[number] | number
    readonly osRelease?: string
    readonly systemName?: string
    readonly systemVersion?: string
  }
  readonly hardware?: { readonly model?: string }
}

function describePayload(): DescMessage {
  const file = fromJson(FileDescriptorProtoSchema, {
    name: 'signals.proto',
    package: 'signals',
    syntax: 'proto3',
    messageType: Object.entries(messages).map(([name, fields]) => ({
      name,
      field: Object.entries(fields).map(([field, place]) => fieldOf(field, place)),
    })),
    enumType: [{ name: 'Platform', value: platforms.map((name, number) => ({ name, number })) }],
  })
  const message = createFileRegistry(file, () => undefined).getMessage('signals.Payload')
  if (!message) throw new Error('the message of signals is not described')
  return message
}

function fieldOf(name: string, [number, kind]: readonly [number, Kind]) {
  const common = { name, jsonName: name, number, label: 'LABEL_OPTIONAL' }
  if (kind === 'TYPE_STRING') return { ...common, type: kind }
  const type = kind === '.signals.Platform' ? 'TYPE_ENUM' : 'TYPE_MESSAGE'
  return { ...common, type, typeName: kind }
}
