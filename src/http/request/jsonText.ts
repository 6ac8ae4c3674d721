/** The bytes of a body as the JSON value that they say. */

import { isAscii } from 'node:buffer'
import { parse } from 'secure-json-parse'
import { type Failure, invalidRequest } from '../../domain/failure.ts'

/** The parser skips one byte order mark (RFC 8259, 8.1). */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * The object or list that the bytes say; an empty object for no bytes. Throws `invalid_request` for what is not UTF-8, not JSON, too deep, or has a key
 * by which a copy of it could reach a prototype. Nothing of the body stands in the failure.
 */
export function parseJson(bytes: Buffer): object {
  if (bytes.length === 0) return {}
  const value = parsed(textOf(bytes))
  if (!isObject(value)) {
    throw malformed('The body is not a JSON object.')
  }
  assertShallow(value)
  return value
}

/** Levels of lists and objects; the deepest body that any route knows has ten, and what a stack is too small for has thousands. */
const depthMax = 64

/** What a schema ignores may be of any depth. */
function assertShallow(value: object, depth = 1): void {
  if (depth > depthMax) throw malformed(`The body has more than ${depthMax} levels.`)
  for (const item of Object.values(value)) if (isObject(item)) assertShallow(item, depth + 1)
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function textOf(bytes: Buffer): string {
  // as most bodies are: the decoder takes several times as long for a short one
  if (isAscii(bytes)) return bytes.toString('latin1')
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
