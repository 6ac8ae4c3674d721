/** Text on lines of a width, measured as terminals show it: wide characters take two columns, combining ones none. */

import stringWidth from 'string-width'

const graphemes = new Intl.Segmenter()

/** What somebody may want to copy: an id, or a UUID. */
const id = /^(?:[a-z]{3}_[0-9a-z]{26}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/** Columns that the text takes on a terminal. */
export function widthOf(text: string): number {
  return stringWidth(text)
}

/** The width of the widest id among the words of the text: it is not to be broken. */
export function idWidth(text: string): number {
  return text
    .split(' ')
    .reduce((widest, word) => (id.test(word) ? Math.max(widest, word.length) : widest), 0)
}

/** The width of the widest word of the text. */
export function wordWidth(text: string): number {
  return text.split(' ').reduce((widest, word) => Math.max(widest, widthOf(word)), 0)
}

/** The text in lines of this width at most, broken between words where it can be; an id is never broken. At least one line. */
export function wrapText(text: string, width: number): readonly string[] {
  if (widthOf(text) <= width) return [text]
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ').flatMap((whole) => partsOf(whole, width))) {
    const longer = line === '' ? word : `${line} ${word}`
    if (line === '' || widthOf(longer) <= width) {
      line = longer
    } else {
      lines.push(line)
      line = word
    }
  }
  return [...lines, line]
}

/** The text, or as much of it as leaves room for `…`. */
export function cutText(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  return `${take(text, Math.max(0, width - 1))}…`
}

/** A word that is wider than a line in pieces that are not. */
function partsOf(word: string, width: number): readonly string[] {
  if (id.test(word)) return [word]
  const parts: string[] = []
  let rest = word
  while (widthOf(rest) > width) {
    const part = take(rest, width) || firstOf(rest)
    parts.push(part)
    rest = rest.slice(part.length)
  }
  return rest === '' && parts.length > 0 ? parts : [...parts, rest]
}

/** As many whole characters from the front as fit. */
function take(text: string, width: number): string {
  let taken = ''
  let used = 0
  for (const { segment } of graphemes.segment(text)) {
    used += widthOf(segment)
    if (used > width) break
    taken += segment
  }
  return taken
}

function firstOf(text: string): string {
  for (const { segment } of graphemes.segment(text)) return segment
  return text
}
