/** Quotes what a caller sent in a refusal: bounded, with invisible characters as `U+200B`. */

const shownMax = 40
const invisible = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u

/** The character in quotes, or its code point where nobody would see it. */
export function nameCharacter(character: string): string {
  return invisible.test(character) ? formatCodePoint(character) : `'${character}'`
}

/** The beginning of the text in quotes. */
export function quoteText(text: string): string {
  const characters = [...text.slice(0, 2 * shownMax)]
  const shown = characters
    .slice(0, shownMax)
    .map((one) => (one !== ' ' && invisible.test(one) ? formatCodePoint(one) : one))
  const rest = characters.length > shownMax ? '…' : ''
  return `"${shown.join('')}${rest}"`
}

function formatCodePoint(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}
