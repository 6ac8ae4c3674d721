/** Detects colours and width of the output, and escapes control characters in printed text. */

import { styleText } from 'node:util'
import type { Output } from './cliContext.ts'
import type { Environment } from './environment.ts'

// controls, the marks that reorder what is displayed, and halves of characters, which no terminal shows alike
const harmful = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu

export interface Screen {
  readonly paint: Paint
  /** Columns of the terminal; infinity where nobody's terminal ends, as in a pipe. */
  readonly width: number
}

/** The screen behind an output; `json` has neither colours nor an end. */
export function openScreen(
  { isTty, columns }: Output,
  { colour }: Pick<Environment, 'colour'>,
  json: boolean,
): Screen {
  const isLimited = isTty && !json && columns !== undefined && columns > 0
  return {
    paint: openPaint(isTty && colour && !json),
    width: isLimited ? columns : Number.POSITIVE_INFINITY,
  }
}

/** What is left of the screen beside an indentation. */
export function beside({ paint, width }: Screen, indent: number): Screen {
  return { paint, width: Math.max(1, width - indent) }
}

type Colour = 'red' | 'green' | 'yellow' | 'cyan' | 'dim' | 'bold'

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
