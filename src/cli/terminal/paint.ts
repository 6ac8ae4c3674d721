/** Colour for terminals. */

import { styleText } from 'node:util'

export type Colour = 'red' | 'green' | 'yellow' | 'cyan' | 'dim' | 'bold'

/** Puts a text in a colour, or leaves it as it is. */
export type Paint = (colour: Colour, text: string) => string

/** Colours, or none. */
export function openPaint(colour: boolean): Paint {
  return (name, text) =>
    colour && text !== '' ? styleText(name, text, { validateStream: false }) : text
}

/** The colour of a verdict or a rule's outcome. */
export function colourOf(word: string): Colour {
  if (word === 'FLAG' || word === 'TRIGGERED') return 'red'
  if (word === 'PASS') return 'green'
  return word === 'NOT_EVALUATED' ? 'yellow' : 'dim'
}
