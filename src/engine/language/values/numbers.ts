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
export function remainder(a: number, b: number): number | undefined {
  return b === 0 ? undefined : (a % b) + 0
}

/** A decimal integer with an optional sign. */
export function intOfText(text: string): number | undefined {
  return /^[+-]?[0-9]+$/.test(text) ? asInt(Number(text)) : undefined
}

/** The whole part of a number. */
export function intOfDouble(value: number): number | undefined {
  return asInt(Math.trunc(value))
}

/** A decimal number with an optional sign, fraction and exponent; nothing that is not finite. */
export function doubleOfText(text: string): number | undefined {
  if (!/^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/.test(text)) return undefined
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}

/** The words for true and false that CEL knows. */
export function boolOfText(text: string): boolean | undefined {
  if (/^(?:1|t|T|true|TRUE|True)$/.test(text)) return true
  return /^(?:0|f|F|false|FALSE|False)$/.test(text) ? false : undefined
}
