/** Suggests the intended token for a syntax error: operators, quotes and comments of other languages. */

/** A suggestion for the token at the offset; undefined when none is obvious. */
export function syntaxHint(text: string, offset: number, token: string): string | undefined {
  const before = text.slice(0, offset)
  const word = token.toLowerCase()
  if (word === 'not' && /^\s+in\b/i.test(text.slice(offset + token.length))) {
    return 'did you mean !(… in …)?'
  }
  const sign = signMeant(before, token) ?? operators.get(word)
  if (sign !== undefined) return `did you mean '${sign}'?`
  return others.get(word) ?? quoteInText(before, token)
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

const others: ReadonlyMap<string, string> = new Map([
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
  ...quotes.map((quote) => [quote, 'a text stands between two " or two \''] as const),
])

/** A sign in two pieces: `> =`. */
function signMeant(before: string, token: string): string | undefined {
  const [, first] = /([=<>!])\s+$/.exec(before) ?? []
  return first !== undefined && token === '=' ? `${first}=` : undefined
}

/** A quote that ended the text it was meant to be a part of: `'it's'`. */
function quoteInText(before: string, token: string): string | undefined {
  const [quote] = /["']$/.exec(before) ?? []
  return quote !== undefined && /^\p{L}/u.test(token)
    ? `inside a text ${quote} is written \\${quote}`
    : undefined
}
