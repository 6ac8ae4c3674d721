/** Checks that a text is a compact JWS: three base64url segments without padding (RFC 7515, 2 and 7.1). */
const compactJws = /^[\w-]+\.[\w-]+\.[\w-]+$/

/** Whether the text has the shape of a signed token: `jose` decodes also what has padding and blanks in it, so that one token had many texts. */
export function isCompactJws(text: string): boolean {
  return compactJws.test(text)
}
