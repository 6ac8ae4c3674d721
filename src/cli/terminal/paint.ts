/** Colour for terminals. */

const codes = { red: 31, green: 32, yellow: 33, cyan: 36, dim: 2, bold: 1 } as const

export type Colour = keyof typeof codes

/** Puts a text in a colour, or leaves it as it is. */
export type Paint = (colour: Colour, text: string) => string

/** Colours, or none. */
export function openPaint(colour: boolean): Paint {
  return (name, text) => (colour && text !== '' ? `\u001b[${codes[name]}m${text}\u001b[0m` : text)
}

/** The colour of a verdict or a rule's outcome. */
export function colourOf(word: string): Colour {
  if (word === 'FLAG' || word === 'TRIGGERED') return 'red'
  if (word === 'PASS') return 'green'
  return word === 'NOT_EVALUATED' ? 'yellow' : 'dim'
}
