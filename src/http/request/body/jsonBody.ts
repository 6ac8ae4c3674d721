/** Reads body bytes up to a size limit, decompresses them and parses them as JSON. */

import { isAscii } from 'node:buffer'
import bodyParser from 'koa-bodyparser'
import { parse } from 'secure-json-parse'
import { Failure, invalidRequest } from '../../../domain/failure.ts'
import type { Context } from '../requestContext.ts'

/** Most bytes of a body, sent or decompressed: small for evaluations, large for recipes, batch for a rulebook. */
export const bodyBytesMax = { small: 64 * 1024, large: 256 * 1024, batch: 1024 * 1024 } as const

export type BodySizeLimit = keyof typeof bodyBytesMax

const parsers = {
  small: buildParser(bodyBytesMax.small),
  large: buildParser(bodyBytesMax.large),
  batch: buildParser(bodyBytesMax.batch),
}

/**
 * `binary` is Latin-1, which has a character for each byte: the text is the bytes, whatever they are. Routes say which
 * types are read.
 */
function buildParser(bytes: number) {
  const options = {
    enableTypes: ['text'],
    extendTypes: { text: ['*/*'] },
    encoding: 'binary',
    textLimit: `${bytes}b`,
  }
  return bodyParser(options)
}

/**
 * Reads the body and decodes its `Content-Encoding` (`gzip`, `deflate` or `br`). Throws `unsupported_media_type` for
 * another encoding, `payload_too_large` for a body that is too long, as sent or decompressed, and `invalid_request` for
 * a truncated or corrupt one. The unread rest is discarded, so that the connection can serve the next request.
 */
export async function readBodyBytes(ctx: Context, size: BodySizeLimit): Promise<Buffer> {
  normalizeContentEncoding(ctx.req.headers)
  try {
    await parsers[size](ctx, async () => {})
  } catch (thrown) {
    throw toBodyFailure(thrown)
  } finally {
    ctx.req.unpipe()
    ctx.req.resume()
  }
  // without a body there is none
  const { rawBody = '' } = ctx.request as { readonly rawBody?: string }
  return Buffer.from(rawBody, 'latin1')
}

/** Names the coding as the parser knows it: without regard to case, and `x-gzip` is `gzip` (RFC 9110, 8.4.1.3). */
function normalizeContentEncoding(headers: Context['req']['headers']): void {
  const given = headers['content-encoding']?.trim().toLowerCase()
  if (given !== undefined) headers['content-encoding'] = given === 'x-gzip' ? 'gzip' : given
}

/** Of zlib and of Brotli. */
const unpackingError = /^(?:Z_|ERR__ERROR_FORMAT)/

const endings = new Set(['request.aborted', 'request.size.invalid', 'stream.not.readable'])

/** What the parser throws, as a failure; anything else as it is. */
function toBodyFailure(thrown: unknown): unknown {
  if (!(thrown instanceof Error)) return thrown
  const { status, type, code }: ParserError = thrown
  if (status === 413) return new Failure('payload_too_large', 'The body is too large.')
  if (status === 415) {
    return new Failure('unsupported_media_type', 'The encoding of the body is not supported.')
  }
  if (endings.has(type ?? '')) return invalidBodyFailure('The body ended too early.')
  if (!unpackingError.test(code ?? '')) return thrown
  return invalidBodyFailure('The body is not what its Content-Encoding says.')
}

interface ParserError extends Error {
  readonly status?: number
  readonly type?: string
  readonly code?: string
}

/** The parser skips one byte order mark (RFC 8259, 8.1). */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Parses a JSON object or array; no bytes give an empty object. Throws `invalid_request` for text that is not UTF-8,
 * not JSON, nested too deeply, or has a key that could pollute a prototype. The failure never contains text of the
 * body.
 */
export function parseJson(bytes: Buffer): object {
  if (bytes.length === 0) return {}
  const value = parseText(decodeText(bytes))
  if (!isObject(value)) {
    throw invalidBodyFailure('The body is not a JSON object.')
  }
  assertShallow(value)
  return value
}

/** Levels of lists and objects; the deepest body of any route has ten, thousands are too much for a stack. */
const depthMax = 64

/** What a schema ignores may be of any depth. */
function assertShallow(value: object, depth = 1): void {
  if (depth > depthMax) throw invalidBodyFailure(`The body has more than ${depthMax} levels.`)
  for (const item of Object.values(value)) if (isObject(item)) assertShallow(item, depth + 1)
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function decodeText(bytes: Buffer): string {
  // as most bodies are: the decoder takes several times as long for a short one
  if (isAscii(bytes)) return bytes.toString('latin1')
  try {
    return utf8.decode(bytes)
  } catch {
    throw invalidBodyFailure('The body is not UTF-8.')
  }
}

function parseText(text: string): unknown {
  try {
    return parse(text, { protoAction: 'error', constructorAction: 'ignore' })
  } catch (error) {
    // what JSON.parse throws quotes the text
    const isPrototype = error instanceof Error && error.message.includes('forbidden prototype')
    throw invalidBodyFailure(
      isPrototype ? 'A key must not be called __proto__.' : 'The body is not a JSON object.',
    )
  }
}

export function invalidBodyFailure(message: string): Failure {
  return invalidRequest([{ path: '', message }])
}
