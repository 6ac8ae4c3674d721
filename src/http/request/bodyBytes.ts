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
import { Failure } from '../../domain/failure.ts'
import { malformed } from './jsonScan.ts'

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
  const expected: Expected = { limit, length: lengthOf(req), look }
  if (!openUnpacker && isThere(req)) return takeWhole(req, expected)
  return orDiscarded(req, () =>
    openUnpacker ? readPacked(req, openUnpacker(), { limit, look }) : readWhole(req, expected),
  )
}

/** The body as it was sent, whatever its encoding. Throws `payload_too_large`, and `invalid_request` for one that ends too early. */
export async function readSentBytes(req: IncomingMessage, limitBytes: number): Promise<Buffer> {
  assertLength(req, limitBytes)
  const expected: Expected = { limit: limitBytes, length: lengthOf(req), look: lookAway }
  return orDiscarded(req, () => readWhole(req, expected))
}

/** Node throws away by itself what nobody has begun to read, and only that. */
async function orDiscarded(req: IncomingMessage, read: () => Promise<Buffer>): Promise<Buffer> {
  // of a client that has left nothing more comes, and nothing tells an unpacker
  if (!req.readable) throw endedEarly()
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

/** How many bytes there are, where the request says so. */
function lengthOf({ headers }: IncomingMessage): number | undefined {
  const said = headers['content-length']
  return said === undefined ? undefined : Number(said)
}

interface Expected {
  readonly limit: number
  /** Exactly so many bytes. */
  readonly length?: number | undefined
  readonly look: Look
}

/** Whether all of the body has come, as a short one has when its request is looked at, and nobody has begun to read it. */
function isThere(req: IncomingMessage): boolean {
  return req.complete && req.readable && req.readableFlowing === null
}

/** The bytes of a body that is there: taken at once, without listening and waiting. */
function takeWhole(req: IncomingMessage, { limit, length, look }: Expected): Buffer {
  const came = (req.read() as Buffer | null) ?? noBytes
  look(came)
  if (came.length > limit) throw tooLarge()
  if (length !== undefined && came.length !== length) throw endedEarly()
  // in memory of its own: it may be a small part of what the connection was read into
  return Buffer.from(came)
}

const noBytes = Buffer.alloc(0)

/** The bytes in one piece; of what is refused none is kept, and nothing more is looked at. */
function readWhole(stream: Readable, { limit, length, look }: Expected): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let received = 0
    // as long as anybody listens, what came is held as well as the copy of it
    const leave = (): void => {
      stream.off('data', onData).off('end', onEnd).off('aborted', onAborted).off('error', refuse)
      chunks.length = 0
    }
    const refuse = (why: unknown): void => {
      leave()
      reject(why)
    }
    const onData = (chunk: Buffer): void => {
      try {
        look(chunk)
        received += chunk.length
        if (received > limit) throw tooLarge()
        chunks.push(chunk)
      } catch (refused) {
        refuse(refused)
      }
    }
    const onEnd = (): void => {
      if (length !== undefined && received !== length) {
        refuse(endedEarly())
        return
      }
      // in memory of its own: what came may be a small part of what the connection was read into
      const whole = Buffer.concat(chunks, received)
      leave()
      resolve(whole)
    }
    const onAborted = (): void => refuse(endedEarly())
    stream.on('data', onData).on('end', onEnd).on('aborted', onAborted).on('error', refuse)
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
  expected: Expected,
): Promise<Buffer> {
  // of the two only the request is told when the client leaves
  const leave = (): unknown => unpacker.destroy(new Left())
  let sent = 0
  const count = (chunk: Buffer): void => {
    sent += chunk.length
  }
  req.once('aborted', leave).on('data', count)
  try {
    const unpacked = await readWhole(req.pipe(unpacker), expected)
    // what is behind the end that it found an unpacker neither takes nor tells
    if (!req.readableEnded || unpacker.bytesWritten !== sent) throw notPackedSo()
    return unpacked
  } finally {
    req.off('aborted', leave).off('data', count)
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
  const code = 'code' in thrown ? String(thrown.code) : ''
  if (code === 'ECONNRESET') return endedEarly()
  return unpackingError.test(code) ? notPackedSo() : thrown
}

function notPackedSo(): Failure {
  return malformed('The body is not what its Content-Encoding says.')
}

/** Of zlib and of Brotli. */
const unpackingError = /^(?:Z_|ERR__ERROR_FORMAT)/

function tooLarge(): Failure {
  return new Failure('payload_too_large', 'The body is too large.')
}

function endedEarly(): Failure {
  return malformed('The body ended too early.')
}
