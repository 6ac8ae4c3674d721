/** Reads the bytes of a body, unpacked, within a limit. */

import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import {
  type BrotliDecompress,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  type Gunzip,
  type Inflate,
} from 'node:zlib'
import rawBody from 'raw-body'
import { Failure } from '../../domain/failure.ts'
import { malformed } from './malformed.ts'

/**
 * The body as it was before its `Content-Encoding` (`gzip`, `deflate` or `br`). Throws `unsupported_media_type` for another one,
 * `payload_too_large` for a body that is longer, as sent or unpacked, and `invalid_request` for one that ends too early or is not
 * what its encoding says. `look` sees each part as it arrives; what it throws is thrown. Of a body that is refused nothing is kept,
 * and what is still to come of it is thrown away, so that the connection serves the next request.
 */
export async function readBodyBytes(
  req: IncomingMessage,
  limit: number,
  look: Look = lookAway,
): Promise<Buffer> {
  const encoding = req.headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  const openUnpacker = encoding === 'identity' ? undefined : unpackerFor(encoding)
  assertLength(req, limit)
  return orDiscarded(req, () =>
    openUnpacker
      ? readPacked(req, openUnpacker(), { limit, look })
      : readLooking(req, look, lengthOf(req, limit)),
  )
}

/** The body as it was sent, whatever its encoding. Throws `payload_too_large`, and `invalid_request` for one that ends too early. */
export async function readSentBytes(req: IncomingMessage, limitBytes: number): Promise<Buffer> {
  assertLength(req, limitBytes)
  return orDiscarded(req, () => readLooking(req, lookAway, lengthOf(req, limitBytes)))
}

/** Node throws away by itself what nobody has begun to read, and only that. */
async function orDiscarded(req: IncomingMessage, read: () => Promise<Buffer>): Promise<Buffer> {
  try {
    return await read()
  } catch (thrown) {
    req.resume()
    throw bodyFailure(thrown)
  }
}

type Look = (chunk: Buffer) => void

const lookAway: Look = () => {}

/** Throws `payload_too_large` for a body that says so itself. */
function assertLength({ headers }: IncomingMessage, limit: number): void {
  if (Number(headers['content-length'] ?? 0) > limit) throw tooLarge()
}

function lengthOf({ headers }: IncomingMessage, limit: number): rawBody.Options {
  return { limit, length: headers['content-length'] ?? null }
}

function readLooking(stream: Readable, look: Look, options: rawBody.Options): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const onData = (chunk: Buffer): void => {
      try {
        look(chunk)
      } catch (refused) {
        reject(refused)
        stream.off('data', onData)
        // whereupon what was read of it is let go, too
        stream.emit('aborted')
      }
    }
    stream.on('data', onData)
    const settled = <Settled>(settle: (value: Settled) => void): ((value: Settled) => void) => {
      return (value) => {
        stream.off('data', onData)
        settle(value)
      }
    }
    rawBody(stream, options).then(settled(resolve), settled(reject))
  })
}

function unpackerFor(encoding: string): () => Unpacker {
  const openUnpacker = unpackers.get(encoding)
  if (openUnpacker) return openUnpacker
  throw new Failure('unsupported_media_type', 'The encoding of the body is not supported.')
}

async function readPacked(
  req: IncomingMessage,
  unpacker: Unpacker,
  { limit, look }: { readonly limit: number; readonly look: Look },
): Promise<Buffer> {
  // of the two only the request is told when the client leaves
  const leave = (): unknown => unpacker.destroy(new Left())
  req.once('aborted', leave)
  try {
    return await readLooking(req.pipe(unpacker), look, { limit })
  } finally {
    req.off('aborted', leave)
    req.unpipe(unpacker)
    unpacker.destroy()
  }
}

/** The client left before its body had arrived. */
class Left extends Error {}

type Unpacker = Gunzip | Inflate | BrotliDecompress

const unpackers = new Map<string, () => Unpacker>([
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
