/** The bytes of a body as the JSON value that they say. */

import { parse } from 'secure-json-parse'
import { type Failure, invalidRequest } from '../../domain/failure.ts'

/** The parser skips one byte order mark (RFC 8259, 8.1). */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * The object or list that the bytes say; an empty object for no bytes. Throws `invalid_request` for what is not UTF-8, not JSON, or has a key
 * by which a copy of it could reach a prototype. Nothing of the body stands in the failure.
 */
export function parseJson(bytes: Buffer): object {
  if (bytes.length === 0) return {}
  const value = parsed(textOf(bytes))
  if (typeof value === 'object' && value !== null) return value
  throw malformed('The body is not a JSON object.')
}

function textOf(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw malformed('The body is not UTF-8.')
  }
}

function parsed(text: string): unknown {
  try {
    return parse(text, { protoAction: 'error', constructorAction: 'ignore' })
  } catch (error) {
    // what JSON.parse throws quotes the text
    const isPrototype = error instanceof Error && error.message.includes('forbidden prototype')
    throw malformed(
      isPrototype ? 'A key must not be called __proto__.' : 'The body is not a JSON object.',
    )
  }
}

/** The failure of a body that is wrong as a whole. */
export function malformed(message: string): Failure {
  return invalidRequest([{ path: '', message }])
}
