/** Opens colours, width and progress of the output; escapes control characters; formats values. */

import { styleText } from 'node:util'
import type { GlobalFlags } from '../connecting/invocation.ts'
import type { Environment } from './environment.ts'
import type { CliContext, Output } from './terminal.ts'

// controls, the marks that reorder what is displayed, and halves of characters, which no terminal shows alike
const controlCharacters = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu

export interface Screen {
  readonly paint: Paint
  /** Columns of the terminal; infinity in a pipe. */
  readonly width: number
}

/** Opens the screen of an output; with `json` it has no colours and unlimited width. */
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

type Colour = 'red' | 'green' | 'yellow' | 'cyan' | 'dim' | 'bold'

/** Colours a text, in which every control character is escaped. */
export type Paint = (colour: Colour, text: string) => string

export function openPaint(colour: boolean): Paint {
  return (name, text) => {
    const shown = escapeControls(text)
    return colour && text !== '' ? styleText(name, shown, { validateStream: false }) : shown
  }
}

/** The colour of a verdict or a rule's outcome. */
export function chooseColour(word: string): Colour {
  if (word === 'FLAG' || word === 'TRIGGERED') return 'red'
  if (word === 'PASS') return 'green'
  return word === 'NOT_EVALUATED' ? 'yellow' : 'dim'
}

/** The text on one line, with every control character escaped as `\u{…}`. */
export function escapeControls(text: string): string {
  return text.replace(controlCharacters, escapeCharacter)
}

/** Same, but keeps line breaks and tabs. */
export function escapeControlsInLines(text: string): string {
  return text.replace(controlCharacters, (character) =>
    character === '\n' || character === '\t' ? character : escapeCharacter(character),
  )
}

/** Indented JSON; control characters that JSON leaves raw are escaped too, and it still parses to the same value. */
export function printableJson(value: unknown, indent: number): string {
  return JSON.stringify(value, null, indent).replace(controlCharacters, (character) =>
    character === '\n'
      ? character
      : `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  )
}

/** A value as JSON on one line; `nothing` for undefined. */
export function formatJsonOnLine(value: unknown): string {
  return value === undefined ? 'nothing' : escapeControls(JSON.stringify(value))
}

/** A value before and after a change, both as JSON. */
export function formatValueChange(before: unknown, after: unknown, paint: Paint): string {
  return `${paint('red', formatJsonOnLine(before))} -> ${paint('green', formatJsonOnLine(after))}`
}

/** What is of a person, or that the token may not read it. */
export function formatPersonal(value: unknown): string {
  return typeof value === 'string' ? value : 'sealed'
}

/** A formatted number with its noun, in the plural unless 1. */
export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`
}

function escapeCharacter(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
}

export interface Progress {
  /** Replaces the line. */
  readonly show: (text: string) => void
  readonly clear: () => void
}

/** Whether a line on stderr can be replaced: on a terminal, unless it is a dumb one. */
export function canReplaceLines({ stderr, environment }: CliContext): boolean {
  return stderr.isTty && environment.escapes
}

/** Opens a progress line on stderr; silent where lines cannot be replaced, and with `--json`. */
export function openProgress(context: CliContext, { json }: GlobalFlags): Progress {
  const { stderr } = context
  if (!canReplaceLines(context) || json) return { show: () => undefined, clear: () => undefined }
  return {
    show: (text) => stderr.write(`\r\u001b[K${text}`),
    clear: () => stderr.write('\r\u001b[K'),
  }
}
