/** Describes syntax errors of a rule: position, unexpected token, suggestion. */

import type { ParseError } from '@marcbachmann/cel-js'
import { ruleLimits } from '../ruleLimits.ts'
import { buildProblem, createRangeLocator, type Problem } from '../syntax.ts'

export function describeSyntaxProblem(text: string, { code, summary, range }: ParseError): Problem {
  const { start, end } = range ?? { start: 0, end: 0 }
  if (unexpectedCodes.has(code)) return describeUnexpectedToken(text, start, summary)
  const spot = createRangeLocator(text)(start, end)
  const [, limit = ''] = /^Exceeded (\w+)/.exec(summary) ?? []
  const beyond = limitProblems.get(limit)
  if (beyond !== undefined) return buildProblem(spot, beyond)
  const open = code === 'unterminated_string' || code === 'unterminated_triple_quoted_string'
  const description = open ? 'the text that begins here does not end' : summary
  return buildProblem(spot, `Syntax error: ${description}`)
}

/** Messages by the limit of the parser that a text exceeds. */
const limitProblems: ReadonlyMap<string, string> = new Map([
  ['maxDepth', `the rule is nested deeper than ${ruleLimits.depth} levels`],
  ['maxAstNodes', `the rule has more than ${ruleLimits.nodes} parts`],
  ['maxListElements', `the list has more than ${ruleLimits.listItems} items`],
])

const unexpectedCodes: ReadonlySet<string> = new Set([
  'unexpected_character',
  'unexpected_token',
  'expected_token',
  'reserved_identifier',
])

function describeUnexpectedToken(text: string, offset: number, summary: string): Problem {
  const start = findTokenStart(text, Math.min(offset, text.length))
  const token = readToken(text, start)
  const hint = suggestSyntax(text, start, token)
  const description = token === '' ? 'the rule ends too early' : `unexpected '${token}'`
  const more = hint === undefined ? describeExpected(summary) : `; ${hint}`
  const spot = createRangeLocator(text)(start, start + token.length)
  return buildProblem(spot, `Syntax error: ${description}${more}`)
}

/** The start of the comparison signs around the offset, or of a `not` before it. */
function findTokenStart(text: string, offset: number): number {
  const before = text.slice(0, offset)
  const run = /^[=<>!]/.test(text.slice(offset)) ? /[=<>!]*$/ : /\bnot\s+$/i
  return offset - (run.exec(before)?.[0] ?? '').length
}

/** A word, a number, an operator or one character; nothing at the end of the text. */
function readToken(text: string, start: number): string {
  const token = /^(?:[\p{L}_][\p{L}\p{N}_]*|\p{N}+|[=<>!]+|&&|\|\||[\s\S])/u
  return token.exec(text.slice(start))?.[0] ?? ''
}

const signs: ReadonlyMap<string, string> = new Map([
  ['RPAREN', "')'"],
  ['RBRACKET', "']'"],
  ['RBRACE', "'}'"],
  ['COLON', "':'"],
  ['IDENTIFIER', 'a name'],
])

/** The token that the parser expected, if it reports one. */
function describeExpected(summary: string): string {
  const [, wanted = ''] = /^Expected (\w+),/.exec(summary) ?? []
  const sign = signs.get(wanted)
  return sign ? `, expected ${sign}` : ''
}

/** A suggestion for the token at the offset; undefined when none is obvious. */
function suggestSyntax(text: string, offset: number, token: string): string | undefined {
  const before = text.slice(0, offset)
  const word = token.toLowerCase()
  if (word === 'not' && /^\s+in\b/i.test(text.slice(offset + token.length))) {
    return 'did you mean !(… in …)?'
  }
  const sign = suggestJoinedSign(before, token) ?? operators.get(word)
  if (sign !== undefined) return `did you mean '${sign}'?`
  return otherHints.get(word) ?? suggestWindow(before, token) ?? suggestEscapedQuote(before, token)
}

const operators: ReadonlyMap<string, string> = new Map([
  ['and', '&&'],
  ['or', '||'],
  ['not', '!'],
  ['is', '=='],
  ['equals', '=='],
  ['mod', '%'],
  ['&', '&&'],
  ['|', '||'],
  ['=', '=='],
  ['===', '=='],
  ['!==', '!='],
  ['<>', '!='],
  ['=>', '>='],
  ['=<', '<='],
])

const choice = "a choice is written 'condition ? one : other'"
const oneExpression = 'a rule is one expression; conditions are joined by && or ||'
const quotes = ['“', '”', '„', '‘', '’', '«', '»', '`', '´']

const otherHints: ReadonlyMap<string, string> = new Map([
  ['like', 'texts are compared by x.contains("…"), x.startsWith("…") or x.matches("…")'],
  ['contains', 'it is written x.contains("…")'],
  ['matches', 'it is written x.matches("…")'],
  ['if', choice],
  ['then', choice],
  ['else', choice],
  ['~', 'it is written x.matches("…")'],
  ['#', 'a comment begins with //'],
  [';', oneExpression],
  [',', oneExpression],
  [')', "no '(' belongs to it"],
  [']', "no '[' belongs to it"],
  ...quotes.map((quote) => [quote, 'a text is written between two " or two \''] as const),
])

/** A sign with a space inside: `> =`. */
function suggestJoinedSign(before: string, token: string): string | undefined {
  const [, first] = /([=<>!])\s+$/.exec(before) ?? []
  return first !== undefined && token === '=' ? `${first}=` : undefined
}

/** A window without quotes: `10m`. */
function suggestWindow(before: string, token: string): string | undefined {
  const [number] = /\d+$/.exec(before) ?? []
  return number !== undefined && /^[smhd]$/.test(token)
    ? `a window is written as a text: "${number}${token}"`
    : undefined
}

/** A quote inside a text that ended it: `'it's'`. */
function suggestEscapedQuote(before: string, token: string): string | undefined {
  const [quote] = /["']$/.exec(before) ?? []
  return quote !== undefined && /^\p{L}/u.test(token)
    ? `inside a text ${quote} is written \\${quote}`
    : undefined
}
