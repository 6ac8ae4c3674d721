/** Finds characters in names that are not shown: they would make two names look alike. */

/**
 * Controls, halves of characters, breaks of lines, the empty Braille cell, and what Unicode calls ignorable, such as
 * U+200B and the marks that reorder text. A joiner counts as shown between two characters that are shown, as in Persian
 * words and emoji, and a variation selector after one.
 */
const hidden =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u2800\ufff9-\ufffb]|(?!\u200c|\u200d|\p{VS})\p{DI}|(?<![^\s\p{DI}]\p{VS}?)(?:\u200c|\u200d)|(?:\u200c|\u200d)(?![^\s\p{DI}])|(?<![^\s\p{DI}])\p{VS}/u

/** The first character of a name that is not shown, as in `U+200B`; undefined without one. */
export function findHiddenCharacter(name: string): string | undefined {
  const code = hidden.exec(name)?.[0].codePointAt(0)
  return code === undefined ? undefined : `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}
