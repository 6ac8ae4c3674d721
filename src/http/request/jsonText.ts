/** The bytes of a body as the JSON value that they say; of a large one in pieces. */

import { isUtf8 } from 'node:buffer'
import { Failure } from '../../domain/failure.ts'
import { newPace } from '../../domain/pace.ts'
import { type JsonLimits, malformed, type Span, scanJson } from './jsonScan.ts'

/** The last of the characters that JSON lets stand between values, and of those that it lets stand nowhere outside of texts. */
const space = 0x20

/** Characters of one thing in a list, and of everything beside the lists: as large a body as a single one of them may have. */
const pieceMax = 256 * 1024

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
function jsonTextOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw malformed('The body is not UTF-8.')
  const whole = bytes.toString('utf8')
  return whole.startsWith(byteOrderMark) ? whole.slice(1) : whole
}

/** The object or list that the text says; see `parseJson`. */
function jsonValueOf(text: string): unknown {
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

/**
 * The object that the bytes say, as `parseJson` reads it. Throws what that throws, and `payload_too_large` for one thing in a list, or
 * for what is beside the lists, that is larger than a body of a single one.
 */
export async function parseJsonInPieces(bytes: Buffer, limits: JsonLimits): Promise<unknown> {
  if (bytes.length === 0) return {}
  const text = jsonTextOf(bytes)
  const spans = scanJson(text, limits)
  const outline = outlineOf(text, spans)
  assertSmall(outline.length)
  const whole = objectOf(jsonValueOf(outline))
  const things: unknown[] = []
  const pace = newPace()
  for (const [from, to] of spans) {
    assertSmall(to - from)
    if (!isBlank(text, [from, to])) things.push(pieceOf(text.slice(from, to)))
    await pace.done(to - from)
  }
  const placed = Object.entries(whole).map(([name, member]) => [
    name,
    Array.isArray(member) ? member.map((index) => things[Number(index)]) : member,
  ])
  return Object.fromEntries(placed) as unknown
}

/** The text with a number in the place of each thing in the lists of the whole object; what is no JSON stays none. */
function outlineOf(text: string, spans: readonly Span[]): string {
  const parts: string[] = []
  let last = 0
  let index = 0
  for (const span of spans) {
    if (isBlank(text, span)) continue
    parts.push(text.slice(last, span[0]), String(index))
    last = span[1]
    index += 1
  }
  parts.push(text.slice(last))
  return parts.join('')
}

function isBlank(text: string, [from, to]: Span): boolean {
  for (let at = from; at < to; at += 1) {
    if (text.charCodeAt(at) > space) return false
  }
  return true
}

function objectOf(value: unknown): object {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw malformed('The body is not a JSON object.')
}

/** What a thing in a list says, which may be of any kind. */
function pieceOf(text: string): unknown {
  const [thing] = jsonValueOf(`[${text}]`) as readonly unknown[]
  return thing
}

function assertSmall(chars: number): void {
  if (chars <= pieceMax) return
  throw new Failure('payload_too_large', 'One of the things in the body is too large.')
}
