/** Reads the signals that a front end sends, as JSON or as an SDK's protobuf payload. */

import { inflateRawSync, inflateSync } from 'node:zlib'
import { BinaryReader } from '@bufbuild/protobuf/wire'
import { Failure, invalidRequest } from '../../domain/failure.ts'
import { closedObject, optionalFields } from '../../domain/jsonSchema.ts'
import { devicePlatforms, type FrontEndSignal, type Signals } from '../../domain/signals/signals.ts'
import {
  type BodyReader,
  buildSchemaCheck,
  jsonBodyReader,
  parseContentType,
} from '../request/body/bodyReader.ts'
import { invalidBodyFailure, readBodyBytes } from '../request/body/jsonBody.ts'
import type { Context } from '../request/requestContext.ts'
import { pickSignals } from './normalizeSignals.ts'

/** Maximum characters of one signal, since anyone with a public key may send them. */
export const frontEndTextMax = 1_024

const text = { type: 'string', maxLength: frontEndTextMax } as const

const frontEndSignals = closedObject(
  'FrontEndSignals',
  optionalFields({
    device_id: { ...text, description: 'Unique id per user device.' },
    device_platform: { type: 'string', enum: [...devicePlatforms, ''] },
    device_model: text,
    os_version: text,
    app_version: text,
    user_agent: { ...text, description: "Defaults to the header 'User-Agent'." },
  }),
  {
    description:
      'Signals of the device; an empty text counts as omitted. IP address and JA4 fingerprint are taken from the connection.',
  },
)

const frontEndDispatchSchema = closedObject('FrontEndDispatch', {
  dispatch_id: {
    type: 'string',
    minLength: 36,
    maxLength: 36,
    description: 'Made by the front end, such as a UUID of version 7; evaluations refer to it.',
  },
  signals: frontEndSignals,
})

/** A body as its schema lets it through. */
export interface FrontEndDispatchBody {
  readonly dispatch_id: string
  readonly signals: Pick<Signals, FrontEndSignal>
}

/** The type under which the SDKs send their payload. */
const packedType = 'application/vnd.prelude.signals'

/** How long a payload may be, as sent. */
const packedMax = 32 * 1024

const checked = buildSchemaCheck<FrontEndDispatchBody>(frontEndDispatchSchema)

const jsonBody = jsonBodyReader(
  frontEndDispatchSchema,
  { size: 'small' },
  (value): FrontEndDispatchBody => {
    const { dispatch_id, signals } = checked(value)
    return { dispatch_id, signals: pickSignals(signals, undefined) }
  },
)

/** The dispatch. Throws `invalid_request` also when the header `X-SDK-DispatchID` names another one. */
export const frontEndBody: BodyReader<FrontEndDispatchBody> = {
  schema: frontEndDispatchSchema,
  contentTypes: { [packedType]: undefined },
  size: 'small',
  read: async (ctx) => {
    const { 'content-type': sentType, 'x-sdk-dispatchid': named } = ctx.req.headers
    const isPacked = parseContentType(sentType).type === packedType
    const dispatch = isPacked ? await readPacked(ctx) : await jsonBody.read(ctx)
    if (named === undefined || named === dispatch.dispatch_id) return dispatch
    const message = 'The header names another dispatch than the body.'
    throw invalidRequest([{ path: 'X-SDK-DispatchID', message }])
  },
}

async function readPacked(ctx: Context): Promise<FrontEndDispatchBody> {
  const coding = ctx.req.headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  if (!['identity', 'deflate'].includes(coding)) {
    throw new Failure('unsupported_media_type', 'A payload of signals is packed by deflate.')
  }
  // as it was sent: raw DEFLATE, which HTTP has no name for, is unpacked later
  ctx.req.headers['content-encoding'] = 'identity'
  const bytes = await readBodyBytes(ctx, 'small')
  if (bytes.length > packedMax) throw new Failure('payload_too_large', 'The body is too large.')
  return checked(decodeSdkPayload(bytes, coding))
}

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
 * Decodes a payload and checks only its form. `encoding` is that of the request. Throws `invalid_request` for a
 * malformed payload, `payload_too_large` for one that is longer unpacked than any real one.
 */
export function decodeSdkPayload(bytes: Buffer, encoding: string): FrontEndDispatchBody {
  const { id = '', ...payload } = decode(encoding === 'identity' ? bytes : unpack(bytes))
  return { dispatch_id: id, signals: pickSignals(toSignals(payload), undefined) }
}

/**
 * Raw DEFLATE is what the SDKs send under the name `deflate`; with the header of zlib it is what the name means (RFC
 * 9110, 8.4.1.2).
 */
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
