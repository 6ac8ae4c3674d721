/** Answers that are sent as they lie in memory, as far as they can be. */

import { type IncomingMessage, ServerResponse } from 'node:http'

/** Texts shorter than this are joined to their headers, and encoded, about as fast. */
const longChars = 1_024

/**
 * An answer whose text, where it is long and of ASCII alone, as nearly all are, is copied to the connection: not joined to its headers
 * before, which would make another copy of it, nor encoded, since its bytes are what its characters are. It leaves in one write with the headers
 * all the same.
 */
export class CopiedAnswer<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  override end(chunk?: unknown, encoding?: unknown, callback?: () => void): this {
    const isCopied = typeof chunk === 'string' && encoding === undefined && isLongAscii(this, chunk)
    if (!isCopied || this.headersSent) {
      return super.end(chunk, encoding as BufferEncoding, callback)
    }
    this.cork()
    this.flushHeaders()
    return super.end(chunk, 'latin1', callback)
  }
}

/** By the length that the answer says, which is in bytes. */
function isLongAscii(answer: ServerResponse, text: string): boolean {
  return text.length >= longChars && Number(answer.getHeader('Content-Length')) === text.length
}
