/** Reads the bytes of a body, unpacked, within a limit. */

import bodyParser from 'koa-bodyparser'
import { Failure } from '../../domain/failure.ts'
import type { Context } from './context.ts'
import { malformed } from './jsonText.ts'

/** How large a body may be, in bytes as sent and once unpacked: an evaluation is small, a recipe may be long, a whole rulebook longer. */
export const bodyBytesMax = { small: 64 * 1024, large: 256 * 1024, batch: 1024 * 1024 } as const

export type BodySize = keyof typeof bodyBytesMax

const parsers = {
  small: parserOf(bodyBytesMax.small),
  large: parserOf(bodyBytesMax.large),
  batch: parserOf(bodyBytesMax.batch),
}

/** `binary` is Latin-1, which has a character for each byte: the text is the bytes, whatever they are. Routes say which types are read. */
function parserOf(bytes: number) {
  const options = {
    enableTypes: ['text'],
    extendTypes: { text: ['*/*'] },
    encoding: 'binary',
    textLimit: `${bytes}b`,
  }
  return bodyParser(options)
}

/**
 * The body as it was before its `Content-Encoding` (`gzip`, `deflate` or `br`). Throws `unsupported_media_type` for another one,
 * `payload_too_large` for a body that is longer, as sent or unpacked, and `invalid_request` for one that ends too early or is not
 * what its encoding says. What is left of a body is thrown away, so that the connection serves the next request.
 */
export async function readBodyBytes(ctx: Context, size: BodySize): Promise<Buffer> {
  nameCoding(ctx.req.headers)
  try {
    await parsers[size](ctx, async () => {})
  } catch (thrown) {
    throw bodyFailure(thrown)
  } finally {
    ctx.req.unpipe()
    ctx.req.resume()
  }
  // without a body there is none
  const { rawBody = '' } = ctx.request as { readonly rawBody?: string }
  return Buffer.from(rawBody, 'latin1')
}

/** Names the coding as the parser knows it: without regard to case, and `x-gzip` is `gzip` (RFC 9110, 8.4.1.3). */
function nameCoding(headers: Context['req']['headers']): void {
  const given = headers['content-encoding']?.trim().toLowerCase()
  if (given !== undefined) headers['content-encoding'] = given === 'x-gzip' ? 'gzip' : given
}

/** Of zlib and of Brotli. */
const unpackingError = /^(?:Z_|ERR__ERROR_FORMAT)/

const endings = new Set(['request.aborted', 'request.size.invalid', 'stream.not.readable'])

/** What the parser throws, as a failure; anything else as it is. */
function bodyFailure(thrown: unknown): unknown {
  if (!(thrown instanceof Error)) return thrown
  const { status, type, code }: ParserError = thrown
  if (status === 413) return new Failure('payload_too_large', 'The body is too large.')
  if (status === 415) {
    return new Failure('unsupported_media_type', 'The encoding of the body is not supported.')
  }
  if (endings.has(type ?? '')) return malformed('The body ended too early.')
  if (!unpackingError.test(code ?? '')) return thrown
  return malformed('The body is not what its Content-Encoding says.')
}

interface ParserError extends Error {
  readonly status?: number
  readonly type?: string
  readonly code?: string
}
