/** Makes text of others harmless for a terminal: a name or a user agent may carry control sequences. */

// controls, the marks that reorder what is displayed, and halves of characters, which no terminal shows alike
const harmful = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu

/** The text on one line, every control character written as `\u{…}`. */
export function printable(text: string): string {
  return text.replace(harmful, escaped)
}

/** The text with its lines and tabs kept. */
export function printableLines(text: string): string {
  return text.replace(harmful, (character) =>
    character === '\n' || character === '\t' ? character : escaped(character),
  )
}

/** JSON on several lines; what JSON leaves raw and a terminal would obey is escaped too, so that it reads back the same. */
export function printableJson(value: unknown, indent: number): string {
  return JSON.stringify(value, null, indent).replace(harmful, (character) =>
    character === '\n'
      ? character
      : `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  )
}

function escaped(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
}
