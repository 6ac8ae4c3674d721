/** Converts and divides values of the rule language; undefined where CEL raises an error. */

/** The number, when it is whole and exact: at most 2^53 - 1 either way. Minus zero becomes zero. */
export function asInt(value: number): number | undefined {
  return Number.isSafeInteger(value) ? value + 0 : undefined
}

/** The quotient without its fraction; undefined for a division by zero. */
export function divideInts(a: number, b: number): number | undefined {
  return b === 0 ? undefined : Math.trunc(a / b) + 0
}

/** What is left of `a` after a division, with the sign of `a`; undefined for a division by zero. */
export function divideForRemainder(a: number, b: number): number | undefined {
  return b === 0 ? undefined : (a % b) + 0
}

/** A decimal integer with an optional sign. */
export function parseIntText(text: string): number | undefined {
  const plain = parsePlainDecimal(text, false)
  if (plain !== undefined) return plain
  return /^[+-]?[0-9]+$/.test(text) ? asInt(Number(text)) : undefined
}

export function truncateToInt(value: number): number | undefined {
  return asInt(Math.trunc(value))
}

/** A decimal number with an optional sign, fraction and exponent; nothing that is not finite. */
export function parseDoubleText(text: string): number | undefined {
  const plain = parsePlainDecimal(text, true)
  if (plain !== undefined) return plain
  if (!/^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/.test(text)) return undefined
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}

/** The words for true and false that CEL knows. */
export function parseBoolText(text: string): boolean | undefined {
  if (/^(?:1|t|T|true|TRUE|True)$/.test(text)) return true
  return /^(?:0|f|F|false|FALSE|False)$/.test(text) ? false : undefined
}

/** Fifteen digits and the power of ten below them are exact: their quotient is the nearest number there is. */
const plainChars = 15
const powersOfTen = Array.from({ length: plainChars + 1 }, (_, power) => 10 ** power)

/** A short number with at most one point, the usual case read quickly; undefined for any other text. */
function parsePlainDecimal(text: string, withPoint: boolean): number | undefined {
  if (text.length === 0 || text.length > plainChars) return undefined
  let digits = 0
  let point = -1
  for (let at = 0; at < text.length; at++) {
    const digit = text.charCodeAt(at) - 48
    if (digit >= 0 && digit <= 9) digits = digits * 10 + digit
    else if (digit === -2 && withPoint && point < 0 && at > 0) point = at
    else return undefined
  }
  return point < 0 ? digits : digits / (powersOfTen[text.length - 1 - point] ?? 1)
}
