/** What is printed on: its colours, and how wide it is. */

import type { Output } from './cliContext.ts'
import type { Environment } from './environment.ts'
import { openPaint, type Paint } from './paint.ts'

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
