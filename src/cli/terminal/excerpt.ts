/** Shows where in a text a mistake stands. */

/** Characters of a line that are shown on either side of the place. */
const around = 50

/** The message, and below it the line of the text it speaks of with a mark under the place; without a place, the message. */
export function withExcerpt(message: string, text: unknown): string {
  const place = /<input>:(\d+):(\d+):/.exec(message)
  if (!place || typeof text !== 'string') return message
  const column = Number(place[2]) - 1
  const characters = [...(text.split('\n')[Number(place[1]) - 1] ?? '')]
  if (column < 0 || column > characters.length) return message
  const start = Math.max(0, column - around)
  const before = characters.slice(start, column)
  const shown = [...before, ...characters.slice(column, column + around)]
  const indent = before.map((character) => (character === '\t' ? '\t' : ' '))
  return `${message}\n${shown.join('')}\n${indent.join('')}^`
}

/** What stands under a path such as `draft.recipes.0.name`; undefined when nothing does. */
export function valueAt(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((found, key) => {
    if (typeof found !== 'object' || found === null) return undefined
    return Object.hasOwn(found, key) ? Reflect.get(found, key) : undefined
  }, value)
}
