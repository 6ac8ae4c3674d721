/** A large body read in pieces: each thing in its lists by itself, others having their turns in between. */

import { Failure } from '../../domain/failure.ts'
import { newPace } from '../../domain/pace.ts'
import { type JsonLimits, type Span, scanJson } from './jsonScan.ts'
import { jsonTextOf, jsonValueOf } from './jsonText.ts'
import { malformed } from './malformed.ts'

/** The last of the characters that JSON lets stand between values, and of those that it lets stand nowhere outside of texts. */
const space = 0x20

/** Characters of one thing in a list, and of everything beside the lists: as large a body as a single one of them may have. */
const pieceMax = 256 * 1024

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
