/** Reads the JSON body of a request, within a limit, and checks it. */

import { invalidRequest } from '../../domain/failure.ts'
import { type BodySize, bodyBytesMax, readBodyBytes } from './bodyBytes.ts'
import { assertJson } from './contentType.ts'
import type { Context } from './context.ts'
import { malformed, parseJson } from './jsonText.ts'
import type { Schema } from './schema.ts'
import { compileSchema, detailsOf } from './validator.ts'

export interface BodyReader<Body> {
  readonly schema: Schema | undefined
  /** A request without it is as good as one with an empty object. */
  readonly mayBeAbsent?: true
  /** Of a body that is not JSON, and has no schema: its types, each with an example; undefined for one that is not text. */
  readonly contentTypes?: Readonly<Record<string, string | undefined>>
  /** Takes the bytes from the connection, as soon as the admission has room for them. */
  readonly receive: (ctx: Context) => Promise<Received>
  /** What they say; where they are still to come, they come from the request. */
  readonly read: (bytes: Buffer, ctx: Context) => Body | Promise<Body>
}

/** The bytes of a body, which are held against its sender until they are read. */
interface Received {
  readonly bytes: Buffer
  readonly done: () => void
}

const nothing: Received = { bytes: Buffer.alloc(0), done: () => {} }

/** The body of a route that reads none: whatever comes is left unread. */
export const noBody: BodyReader<undefined> = {
  schema: undefined,
  receive: async () => nothing,
  read: () => undefined,
}

/**
 * A body that is read by the given function, which throws `invalid_request` for what it cannot accept. Receiving throws
 * `unsupported_media_type` for what is not declared as JSON in UTF-8, `payload_too_large`, and what the admission throws; reading
 * `invalid_request` for what is not JSON in UTF-8.
 */
export function readableBody<Body>(
  schema: Schema,
  size: BodySize,
  readValue: (value: unknown) => Body | Promise<Body>,
): BodyReader<Body> {
  return jsonBody({ schema, size, assertType: assertJson }, readValue)
}

interface JsonBody {
  readonly schema: Schema
  readonly size: BodySize
  /** Throws `unsupported_media_type`. */
  readonly assertType: (req: Context['req']) => void
}

function jsonBody<Body>(
  { schema, size, assertType }: JsonBody,
  readValue: (value: unknown) => Body | Promise<Body>,
): BodyReader<Body> {
  return {
    schema,
    receive: async (ctx) => {
      const { req, state } = ctx
      assertType(req)
      const room = state.admission.receive(ctx, bytesMaxOf(req, bodyBytesMax[size]))
      const bytes = await readBodyBytes(ctx, size)
      room.arrived(bytes.length)
      return { bytes, done: room.done }
    },
    read: async (bytes) => {
      const body = await readValue(parseJson(bytes))
      // behind the reading, which names what is missing in it
      if (bytes.length === 0) throw malformed('A body is required: a JSON object.')
      return body
    },
  }
}

/** What the body may come to, as far as the request says it. */
function bytesMaxOf({ headers }: Context['req'], limit: number): number {
  const isPlain = (headers['content-encoding'] ?? 'identity') === 'identity'
  const said = Number(headers['content-length'] ?? limit)
  return isPlain ? Math.min(said, limit) : limit
}

/** A body that is accepted when it fits the schema. */
export function schemaBody<Body>(schema: Schema): BodyReader<Body> {
  return readableBody(schema, 'large', fitting<Body>(schema))
}

/** The same of a body that may be left out. */
export function optionalBody<Body>(schema: Schema): BodyReader<Body> {
  const { read, receive } = readableBody(schema, 'small', fitting<Body>(schema))
  return {
    schema,
    mayBeAbsent: true,
    receive,
    read: (bytes, ctx) => read(bytes.length === 0 ? emptyObject : bytes, ctx),
  }
}

const emptyObject = Buffer.from('{}')

/** The same of a change as RFC 7386 has it, which may say so in its `Content-Type`. */
export function mergePatchBody<Body>(schema: Schema): BodyReader<Body> {
  const assertType: JsonBody['assertType'] = (req) => assertJson(req, mergePatchType)
  return jsonBody({ schema, size: 'large', assertType }, fitting<Body>(schema))
}

const mergePatchType = 'application/merge-patch+json'

function fitting<Body>(schema: Schema): (value: unknown) => Body {
  const fits = compileSchema<Body>(schema)
  return (value) => {
    if (fits(value)) return value
    throw invalidRequest(detailsOf(fits.errors))
  }
}
