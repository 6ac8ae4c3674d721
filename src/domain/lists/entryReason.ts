/** Checks reasons of list entries: text that fits one CSV record, without control characters. */

const broken = /\r\n|\p{Cc}/gu

/** Whether the text can be a reason: no control characters (newlines included), no lone surrogates. */
export function isEntryReason(text: string): boolean {
  return !/\p{Cc}|\p{Surrogate}/u.test(text)
}

/** A reason made valid, for older and imported ones: a space for each newline or control character, U+FFFD for a lone surrogate. */
export function asEntryReason(text: string): string {
  return isEntryReason(text) ? text : text.replace(broken, ' ').replace(/\p{Surrogate}/gu, '\ufffd')
}
