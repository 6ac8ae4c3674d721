/** Reads a request body line by line while it arrives, without parsing the lines. */

import type { IncomingMessage } from 'node:http'
import { TextDecoder } from 'node:util'
import { Failure, invalidRequest } from '../../../domain/failure.ts'
import { assertUtf8, type BodyReader, hasBody, parseContentType } from './bodyReader.ts'

/** Characters of a line that is not cut. */
const lineMax = 8_192

/** The content type of a rows body, and its rows without line breaks. */
export interface BodyLines {
  readonly contentType: string
  readonly lines: AsyncIterable<string>
}

/**
 * Reads the rows of a body of one of these content types, each given with an example; the first is the default. Throws
 * `unsupported_media_type` for other types, charsets other than UTF-8 and compressed bodies, and `invalid_request` for
 * an absent body. Iterating throws `invalid_request` for a row that is too long, text that is not UTF-8, and an empty
 * body. With a `cutAt`, a row that is longer comes with one character more than that, without its rest.
 */
export function buildLinesBodyReader(
  contentTypes: Readonly<Record<string, string>>,
  { cutAt }: { readonly cutAt?: number } = {},
): BodyReader<BodyLines> {
  const bound = cutAt === undefined ? refuseLongLine : (line: string) => line.slice(0, cutAt + 1)
  const known = Object.keys(contentTypes)
  return {
    schema: undefined,
    contentTypes,
    read: ({ req }) => {
      const { 'content-type': sent = known[0], 'content-encoding': coding = 'identity' } =
        req.headers
      const { type, parameters } = parseContentType(sent)
      if (coding !== 'identity' || !known.includes(type)) {
        const message = `The body must be ${known.join(' or ')}, not packed.`
        throw new Failure('unsupported_media_type', message)
      }
      assertUtf8(parameters)
      if (!hasBody(req)) throw buildEmptyBodyFailure()
      return { contentType: type, lines: streamLines(req, bound) }
    },
  }
}

/** The unread rest is discarded, so that the client can still be answered. */
async function* streamLines(
  req: IncomingMessage,
  bound: (line: string) => string,
): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let rest = ''
  let isEmpty = true
  try {
    for await (const chunk of req.iterator({ destroyOnReturn: false })) {
      isEmpty &&= (chunk as Buffer).length === 0
      const lines = (rest + tryDecode(() => decoder.decode(chunk, { stream: true }))).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) yield trimLine(bound(line))
      rest = bound(rest)
    }
  } finally {
    req.resume()
  }
  if (isEmpty) throw buildEmptyBodyFailure()
  rest += tryDecode(() => decoder.decode())
  if (rest !== '') yield trimLine(bound(rest))
}

function tryDecode(decode: () => string): string {
  try {
    return decode()
  } catch (cause) {
    if (cause instanceof TypeError) throw buildBodyFailure('The body must be in UTF-8.')
    throw cause
  }
}

function refuseLongLine(line: string): string {
  if (line.length <= lineMax) return line
  throw buildBodyFailure(`A line has at most ${lineMax} characters.`)
}

function trimLine(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line
}

function buildEmptyBodyFailure(): Failure {
  return buildBodyFailure('The body is empty: it must have a line.')
}

function buildBodyFailure(message: string): Failure {
  return invalidRequest([{ path: 'body', message }])
}
