/** Reads the bytes of a body, unpacked, within a limit. */

import type { IncomingMessage } from 'node:http'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import rawBody from 'raw-body'
import { Failure } from '../../domain/failure.ts'
import { malformed } from './malformed.ts'

/**
 * The body as it was before its `Content-Encoding` (`gzip`, `deflate` or `br`). Throws `unsupported_media_type` for another one,
 * `payload_too_large` for a body that is longer, as sent or unpacked, and `invalid_request` for one that ends too early or is not
 * what its encoding says.
 */
export async function readBodyBytes(req: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const encoding = req.headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  try {
    return encoding === 'identity'
      ? await readPlain(req, limitBytes)
      : await readPacked(req, encoding, limitBytes)
  } catch (thrown) {
    throw bodyFailure(thrown)
  }
}

/** The body as it was sent, whatever its encoding. Throws `payload_too_large`, and `invalid_request` for one that ends too early. */
export async function readSentBytes(req: IncomingMessage, limitBytes: number): Promise<Buffer> {
  try {
    return await readPlain(req, limitBytes)
  } catch (thrown) {
    throw bodyFailure(thrown)
  }
}

function readPlain(req: IncomingMessage, limit: number): Promise<Buffer> {
  return rawBody(req, { limit, length: req.headers['content-length'] ?? null })
}

async function readPacked(req: IncomingMessage, encoding: string, limit: number): Promise<Buffer> {
  const unpacker = unpackers.get(encoding)?.()
  if (!unpacker) {
    throw new Failure('unsupported_media_type', 'The encoding of the body is not supported.')
  }
  if (Number(req.headers['content-length'] ?? 0) > limit) throw tooLarge()
  // of the two only the request is told when the client leaves
  const leave = (): unknown => unpacker.destroy(new Left())
  req.once('aborted', leave)
  try {
    return await rawBody(req.pipe(unpacker), { limit })
  } finally {
    req.off('aborted', leave)
    req.unpipe(unpacker)
    unpacker.destroy()
  }
}

/** The client left before its body had arrived. */
class Left extends Error {}

const unpackers = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
])

/** What the streams throw, as a failure; anything else as it is. */
function bodyFailure(thrown: unknown): unknown {
  if (thrown instanceof Left) return endedEarly()
  if (!(thrown instanceof Error)) return thrown
  const type = 'type' in thrown ? thrown.type : undefined
  if (type === 'entity.too.large') return tooLarge()
  if (type === 'request.aborted' || type === 'request.size.invalid') return endedEarly()
  const code = 'code' in thrown ? String(thrown.code) : ''
  return unpackingError.test(code)
    ? malformed('The body is not what its Content-Encoding says.')
    : thrown
}

/** Of zlib and of Brotli. */
const unpackingError = /^(?:Z_|ERR__ERROR_FORMAT)/

function tooLarge(): Failure {
  return new Failure('payload_too_large', 'The body is too large.')
}

function endedEarly(): Failure {
  return malformed('The body ended too early.')
}
