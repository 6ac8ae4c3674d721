/** The bytes of a body as the JSON value that they say. */

import { isUtf8 } from 'node:buffer'
import { malformed } from './malformed.ts'

const byteOrderMark = '\ufeff'
const beginsObject = /^[ \t\n\r]*[[{]/
/** Whether the text can have a key `__proto__`, written with or without escapes. */
const mayReachPrototype = /__proto__|\\u/

/**
 * The object or list that the bytes say; an empty object for no bytes. A byte order mark at their beginning is skipped (RFC 8259, 8.1).
 * Throws `invalid_request` for what is not UTF-8, not JSON, or has a key by which a copy of it could reach a
 * prototype. Nothing of the body stands in the failure.
 */
export function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) return {}
  return jsonValueOf(jsonTextOf(bytes))
}

/** The bytes as text, without a byte order mark. Throws `invalid_request` for what is not UTF-8. */
export function jsonTextOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw malformed('The body is not UTF-8.')
  const whole = bytes.toString('utf8')
  return whole.startsWith(byteOrderMark) ? whole.slice(1) : whole
}

/** The object or list that the text says; see `parseJson`. */
export function jsonValueOf(text: string): unknown {
  const value = beginsObject.test(text) ? parsed(text) : undefined
  if (value === undefined) throw malformed('The body is not a JSON object.')
  if (mayReachPrototype.test(text) && reachesPrototype(value)) {
    throw malformed('A key must not be called __proto__.')
  }
  return value
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // a SyntaxError, whose message quotes the text
    return undefined
  }
}

function reachesPrototype(value: unknown): boolean {
  const waiting = [value]
  while (waiting.length > 0) {
    const part = waiting.pop()
    if (typeof part !== 'object' || part === null) continue
    if (Object.hasOwn(part, '__proto__')) return true
    // one by one: a list may be longer than what a call takes
    for (const inner of Object.values(part)) waiting.push(inner)
  }
  return false
}
