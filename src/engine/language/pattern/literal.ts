/** Matches patterns that are plain text with optional anchors, without a regular expression engine. */

const form = /^(\^?)((?:[^\\.+*?()|[\]{}^$\ud800-\udfff]|\\[!-/:-@[-`{-~])*)(\$?)$/

/**
 * A test equal to the pattern; undefined when the pattern has more than literal characters. `$` without flags is the very end of the text
 * in RE2. Characters beyond the first plane are left to RE2, since half a pair could be found inside another.
 */
export function literalMatcher(pattern: string): ((text: string) => boolean) | undefined {
  const found = form.exec(pattern)
  if (!found) return undefined
  const literal = (found[2] ?? '').replace(/\\(.)/gs, '$1')
  const atStart = found[1] !== ''
  const atEnd = found[3] !== ''
  if (atStart && atEnd) return (text) => text === literal
  if (atStart) return (text) => text.startsWith(literal)
  if (atEnd) return (text) => text.endsWith(literal)
  return (text) => text.includes(literal)
}
