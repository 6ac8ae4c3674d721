/** Reads the JSON body of a request, within a limit, and checks it. */

import { invalidRequest } from '../../domain/failure.ts'
import { readBodyBytes } from './bodyBytes.ts'
import { assertJson } from './contentType.ts'
import type { Context } from './context.ts'
import { depthMax, type JsonLimits, malformed, openJsonScan } from './jsonScan.ts'
import { parseJson, parseJsonInPieces } from './jsonText.ts'
import type { Schema } from './schema.ts'
import { compileSchema, detailsOf } from './validator.ts'

/** Characters that wait to be looked at one by one, should it come to that. */
const waitingMax = 16 * 1024

/** Without so many of these nothing is deep, wide or many. */
const marks = [',', '{', '[']

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

/** How large a body may be, in bytes as sent and once unpacked: an evaluation is small, a recipe may be long, a whole rulebook longer. */
const limitBytes = { small: 64 * 1024, large: 256 * 1024, batch: 4 * 1024 * 1024 } as const

/** How many values a body of each size may have: about ten times as many as the largest that is meant. */
const limitValues = { small: 4_000, large: 30_000, batch: 400_000 } as const

/**
 * A body that is read by the given function, which throws `invalid_request` for what it cannot accept. Receiving throws
 * `unsupported_media_type` for what is not declared as JSON in UTF-8, `payload_too_large`, `invalid_request` for more values, levels or
 * fields than any body has, as soon as they have come, and what the admission throws; reading `invalid_request` for what is not JSON in UTF-8.
 */
export function readableBody<Body>(
  schema: Schema,
  size: keyof typeof limitBytes,
  readValue: (value: unknown) => Body | Promise<Body>,
): BodyReader<Body> {
  return jsonBody({ schema, size, assertType: assertJson }, readValue)
}

interface JsonBody {
  readonly schema: Schema
  readonly size: keyof typeof limitBytes
  /** Throws `unsupported_media_type`. */
  readonly assertType: (req: Context['req']) => void
}

function jsonBody<Body>(
  { schema, size, assertType }: JsonBody,
  readValue: (value: unknown) => Body | Promise<Body>,
): BodyReader<Body> {
  const limit = limitBytes[size]
  return {
    schema,
    receive: async (ctx) => {
      const { req, state } = ctx
      assertType(req)
      const room = state.admission.receive(ctx, bytesMaxOf(req, limit))
      const look = openBodyScan(limitsOf(size))
      const bytes = await readBodyBytes(req, limit, (chunk) => look(chunk.toString('latin1')))
      room.arrived(bytes.length)
      return { bytes, done: room.done }
    },
    read: async (bytes) => {
      const value =
        size === 'batch' ? await parseJsonInPieces(bytes, limitsOf(size)) : parseJson(bytes)
      const body = await readValue(value)
      // behind the reading, which names what is missing in it
      if (bytes.length === 0) throw malformed('A body is required: a JSON object.')
      return body
    },
  }
}

function limitsOf(size: keyof typeof limitBytes): JsonLimits {
  return { values: limitValues[size] }
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

/**
 * To be told of each piece of a body: of its bytes read as Latin-1. Throws what `openJsonScan` throws, for the same bodies and at the same
 * piece. A usual body has few commas and brackets, which are counted several times faster than it is gone through.
 */
export function openBodyScan(limits: JsonLimits): (piece: string) => void {
  const harmless = Math.min(depthMax, limits.values - 1)
  let look: ((piece: string) => void) | undefined
  let waiting = ''
  let found = 0

  return (piece) => {
    if (look) {
      look(piece)
      return
    }
    waiting += piece
    found += marksIn(piece, harmless)
    if (found <= harmless && waiting.length <= waitingMax) return
    look = openJsonScan(limits).look
    look(waiting)
    waiting = ''
  }
}

/** How many there are, texts and all; somewhat more than `enough` stands for any number beyond it. */
function marksIn(piece: string, enough: number): number {
  let found = 0
  for (const mark of marks) {
    let at = piece.indexOf(mark)
    while (at !== -1 && found <= enough) {
      found += 1
      at = piece.indexOf(mark, at + 1)
    }
  }
  return found
}
