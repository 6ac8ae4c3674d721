/** How it is shown what a rule read. */

import type { Paint } from '../terminal/paint.ts'
import { printable } from '../terminal/printable.ts'
import type { ReadAnswer } from './answers.ts'
import { sentText } from './notCountedView.ts'

/** Where a value came from; what a newer service may say is passed on as it is. */
const sourceWords = new Map([
  ['dispatch', 'the dispatch'],
  ['request', 'the request'],
  ['user_agent', 'the user agent'],
  ['list', 'the account’s lists'],
  ['service', 'the service’s clock'],
])

/**
 * What was read, and where it came from or that it did not arrive; what was sent under its name and did not count. `isAwaited` says that
 * the rule could not run for want of it.
 */
export function readText(read: ReadAnswer, isAwaited: boolean, paint: Paint): string {
  return read.arrived ? arrivedText(read, isAwaited, paint) : missingText(read, paint)
}

function missingText(read: ReadAnswer, paint: Paint): string {
  const { needed, not_counted = [] } = read
  const sent = not_counted.map(sentText).join('; ')
  const found = `did not arrive${sent === '' ? '' : `: ${sent}`}`
  const colour = needed === false ? 'dim' : 'yellow'
  return `${askedText(read)}  ${paint(colour, found)}${spareNote(read, paint)}`
}

function arrivedText(read: ReadAnswer, isAwaited: boolean, paint: Paint): string {
  const { convert, needed, value, source = '?', not_counted = [] } = read
  const from = paint('dim', `from ${printable(sourceWords.get(source) ?? source)}`)
  // what arrived and still keeps the rule waiting is a text that holds no number
  const isUnfit = isAwaited && convert !== undefined && needed !== false
  const note = isUnfit ? `  ${paint('yellow', `cannot be read as ${printable(convert)}`)}` : ''
  const sent = not_counted.map((signal) => paint('yellow', `; ${sentText(signal)}`)).join('')
  const spare = spareNote(read, paint)
  return `${askedText(read)} = ${valueText(value)}  ${from}${note}${sent}${spare}`
}

function askedText({ name, use, convert }: ReadAnswer): string {
  const shown = convert === undefined ? name : `${convert}(${name})`
  return printable(use === 'has' ? `has(${shown})` : shown)
}

function spareNote({ needed }: ReadAnswer, paint: Paint): string {
  return needed === false ? paint('dim', '  (not needed)') : ''
}

/** A value as JSON. */
export function valueText(value: unknown): string {
  return printable(JSON.stringify(value) ?? 'nothing')
}
