/** Shows where in a text a mistake stands. */

import { widthOf } from './wrapText.ts'

/** Characters of a line that are shown on either side of the place where a mistake begins. */
const around = 50

/** Lines and columns from 1, in characters. */
export interface Spot {
  readonly line: number
  readonly column: number
  readonly length: number
}

/** The line of the text that the spot is on, and below it a mark as long as the mistake; undefined when there is no such place. */
export function excerptOf(text: unknown, { line, column, length }: Spot): string | undefined {
  if (typeof text !== 'string') return undefined
  const characters = [...(text.split('\n')[line - 1] ?? '')]
  const first = column - 1
  if (line < 1 || first < 0 || first > characters.length) return undefined
  const start = Math.max(0, first - around)
  const before = characters.slice(start, first)
  const after = characters.slice(first, first + around)
  const marked = after.slice(0, Math.max(1, length)).join('')
  const mark = '^'.repeat(Math.max(1, widthOf(marked)))
  return `${before.join('')}${after.join('')}\n${before.map(blankOf).join('')}${mark}`
}

/** As wide as the character is shown. */
function blankOf(character: string): string {
  return character === '\t' ? '\t' : ' '.repeat(widthOf(character))
}

/** What stands under a path such as `draft.recipes.0.name`, or under a name with dots in it; undefined when nothing does. */
export function valueAt(value: unknown, path: string): unknown {
  if (typeof value === 'object' && value !== null && Object.hasOwn(value, path)) {
    return Reflect.get(value, path)
  }
  return path.split('.').reduce<unknown>((found, key) => {
    if (typeof found !== 'object' || found === null) return undefined
    return Object.hasOwn(found, key) ? Reflect.get(found, key) : undefined
  }, value)
}
