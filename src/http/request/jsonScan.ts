/** Looks through a text that may be JSON before anything is made of it: what a body costs is to be known before it is paid. */

import { malformed } from './malformed.ts'

/** What a body may be made of. */
export interface JsonLimits {
  /** Values of any kind in it, those in others included. */
  readonly values: number
}

/** Levels of lists and objects; the deepest body that any route knows has ten. */
const depthMax = 64

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

/**
 * The places of the values in the lists that a whole object has as members, commas and brackets left out. Throws `invalid_request` for a
 * text of more values, deeper levels or wider objects than the limits say. Of what is not JSON it may answer anything.
 */
export function scanJson(text: string, limits: JsonLimits): readonly Span[] {
  const scan = newScan(limits)
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case quote:
        at = endOfText(text, at)
        break
      case comma:
        scan.next(at)
        break
      case listBegins:
        scan.begin(at, 'list')
        break
      case objectBegins:
        scan.begin(at, 'object')
        break
      case listEnds:
      case objectEnds:
        scan.end(at)
    }
  }
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

/** Where the text literal that begins here ends: its quote, or the end of everything. */
function endOfText(text: string, begin: number): number {
  let end = text.indexOf('"', begin + 1)
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end === -1 ? text.length : end
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0
  while (text.charCodeAt(at - 1 - backslashes) === backslash) backslashes += 1
  return backslashes % 2 === 1
}
