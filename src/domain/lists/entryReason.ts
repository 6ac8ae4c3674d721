/** Checks reasons of list entries: text that fits one CSV record, without control characters. */

const broken = /\r\n|\p{Cc}/gu

/** Whether the text can be a reason: without control characters, line breaks among them, and without halves of characters. */
export function isEntryReason(text: string): boolean {
  return !/\p{Cc}|\p{Surrogate}/u.test(text)
}

/** A reason that was taken before it had to be of one line, as an import takes it: a space for each break or control character, U+FFFD for half a character. */
export function asEntryReason(text: string): string {
  return isEntryReason(text) ? text : text.replace(broken, ' ').replace(/\p{Surrogate}/gu, '\ufffd')
}
