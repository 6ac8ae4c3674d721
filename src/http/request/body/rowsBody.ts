/** Reads a request body line by line while it arrives, without parsing the lines. */

import type { IncomingMessage } from 'node:http'
import { TextDecoder } from 'node:util'
import { Failure, invalidRequest } from '../../../domain/failure.ts'
import { assertUtf8, type BodyReader, hasBody, parseContentType } from './bodyReader.ts'

/** Characters of a line. */
const lineMax = 8_192

/** The content type of a rows body, and its rows without line breaks. */
export interface BodyLines {
  readonly contentType: string
  readonly lines: AsyncIterable<string>
}

/**
 * Reads the rows of a body of one of these content types, each given with an example; the first is the default. Throws
 * `unsupported_media_type` for other types, charsets other than UTF-8 and compressed bodies, and `invalid_request` for an absent body.
 * Iterating throws `invalid_request` for a row that is too long, text that is not UTF-8, and an empty body.
 */
export function buildLinesBodyReader(
  contentTypes: Readonly<Record<string, string>>,
): BodyReader<BodyLines> {
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
      if (!hasBody(req)) throw empty()
      return { contentType: type, lines: linesOf(bodyAsItComes(req)) }
    },
  }
}

async function* linesOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let rest = ''
  let isEmpty = true
  for await (const chunk of bytes) {
    isEmpty &&= chunk.length === 0
    const lines = (rest + decoded(() => decoder.decode(chunk, { stream: true }))).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) yield checked(line)
    checked(rest)
  }
  if (isEmpty) throw empty()
  rest += decoded(() => decoder.decode())
  if (rest !== '') yield checked(rest)
}

function decoded(decode: () => string): string {
  try {
    return decode()
  } catch (cause) {
    if (cause instanceof TypeError) throw refused('The body must be in UTF-8.')
    throw cause
  }
}

function checked(line: string): string {
  if (line.length > lineMax) throw refused(`A line has at most ${lineMax} characters.`)
  return line.endsWith('\r') ? line.slice(0, -1) : line
}

function empty(): Failure {
  return refused('The body is empty: it must have a line.')
}

function refused(message: string): Failure {
  return invalidRequest([{ path: 'body', message }])
}

/** Yields the body chunk by chunk. The unread rest is discarded, so that the client can still be answered. */
async function* bodyAsItComes(req: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    for await (const piece of req.iterator({ destroyOnReturn: false })) yield piece as Buffer
  } finally {
    req.resume()
  }
}
