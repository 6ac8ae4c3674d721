/** What somebody says about an entry of a list: text of one line, so that it stands in a line of a file as it is. */

const broken = /\r\n|\p{Cc}/gu

/** Whether the text can be a reason: without control characters, line breaks among them, and without halves of characters. */
export function isEntryReason(text: string): boolean {
  return !/\p{Cc}|\p{Surrogate}/u.test(text)
}

/** A reason that was taken before it had to be of one line, as an import takes it: a space for each break or control character, U+FFFD for half a character. */
export function asEntryReason(text: string): string {
  return isEntryReason(text) ? text : text.replace(broken, ' ').replace(/\p{Surrogate}/gu, '\ufffd')
}
