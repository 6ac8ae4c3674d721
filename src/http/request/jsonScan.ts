/** Looks through a text that may be JSON before anything is made of it: what a body costs is to be known before it is paid. */

import { type Failure, invalidRequest } from '../../domain/failure.ts'

/** What a body may be made of. */
export interface JsonLimits {
  /** Values of any kind in it, those in others included. */
  readonly values: number
}

/** Levels of lists and objects; the deepest body that any route knows has ten. */
export const depthMax = 64

/** Members of one object: more than any schema knows, and few enough to be looked at one by one. */
const membersMax = 1_000

const quote = 0x22
const comma = 0x2c
const listBegins = 0x5b
const backslash = 0x5c
const listEnds = 0x5d
const objectBegins = 0x7b
const objectEnds = 0x7d

/** From where to where in the text. */
export type Span = readonly [from: number, to: number]

/** A look through a text that comes in pieces. */
export interface JsonScan {
  /**
   * Looks at the next piece: of the text, or of its bytes in UTF-8 read as Latin-1. Throws `invalid_request` for a text of more values,
   * deeper levels or wider objects than the limits say.
   */
  readonly look: (piece: string) => void
  /** The places of the values in the lists that a whole object has as members, commas and brackets left out. */
  readonly spans: readonly Span[]
}

/** Of what is not JSON it may say anything. */
export function openJsonScan(limits: JsonLimits): JsonScan {
  const scan = newScan(limits)
  let inText = false
  let isEscaped = false
  let before = 0

  /** The last place of the text literal in this piece. */
  const passText = (piece: string, from: number): number => {
    const begin = isEscaped ? from + 1 : from
    const end = endOfText(piece, begin)
    inText = end === -1
    isEscaped = inText && isEscapedAt(piece, piece.length, begin)
    return inText ? piece.length : end
  }
  const mark = (piece: string, at: number): number => {
    switch (piece.charCodeAt(at)) {
      case quote:
        return passText(piece, at + 1)
      case comma:
        scan.next(before + at)
        break
      case listBegins:
        scan.begin(before + at, 'list')
        break
      case objectBegins:
        scan.begin(before + at, 'object')
        break
      case listEnds:
      case objectEnds:
        scan.end(before + at)
    }
    return at
  }
  return {
    spans: scan.spans,
    look: (piece) => {
      if (piece === '') return
      for (let at = inText ? passText(piece, 0) + 1 : 0; at < piece.length; at += 1) {
        at = mark(piece, at)
      }
      before += piece.length
    },
  }
}

/** What a look at the whole text says; see `openJsonScan`. */
export function scanJson(text: string, limits: JsonLimits): readonly Span[] {
  const scan = openJsonScan(limits)
  scan.look(text)
  return scan.spans
}

interface Level {
  readonly kind: 'list' | 'object'
  /** Commas in it so far. */
  commas: number
}

function newScan(limits: JsonLimits) {
  const levels: Level[] = []
  const spans: Span[] = []
  let values = 1
  let from = 0

  const count = (): void => {
    values += 1
    if (values > limits.values) {
      throw malformed(`The body has more than ${limits.values} values.`)
    }
  }
  const inMemberList = (): boolean =>
    levels.length === 2 && levels[0]?.kind === 'object' && levels[1]?.kind === 'list'

  return {
    spans,
    begin: (at: number, kind: Level['kind']): void => {
      count()
      if (levels.push({ kind, commas: 0 }) > depthMax) {
        throw malformed(`The body has more than ${depthMax} levels.`)
      }
      if (inMemberList()) from = at + 1
    },
    next: (at: number): void => {
      count()
      const level = levels.at(-1)
      if (!level) return
      level.commas += 1
      if (level.kind === 'object' && level.commas >= membersMax) {
        throw malformed(`An object of the body has more than ${membersMax} fields.`)
      }
      if (!inMemberList()) return
      spans.push([from, at])
      from = at + 1
    },
    end: (at: number): void => {
      if (inMemberList()) spans.push([from, at])
      levels.pop()
    },
  }
}

/** Where the text literal that this is in ends: its quote; -1 when that is still to come. */
function endOfText(piece: string, begin: number): number {
  let end = piece.indexOf('"', begin)
  while (end !== -1 && isEscapedAt(piece, end, begin)) end = piece.indexOf('"', end + 1)
  return end
}

/** Whether the character there is escaped by those from `begin` on. */
function isEscapedAt(piece: string, at: number, begin: number): boolean {
  let first = at
  while (first > begin && piece.charCodeAt(first - 1) === backslash) first -= 1
  return (at - first) % 2 === 1
}

export function malformed(message: string): Failure {
  return invalidRequest([{ path: '', message }])
}
