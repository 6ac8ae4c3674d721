/** Encodes and decodes lookup keys of list entries as concatenated texts of fixed length. */

/** Characters of a subject digest, base64url, that contain its first 64 bits. */
export const keyChars = 11

/** Seconds since the Unix epoch to base 36: enough for some 2,000 years. */
const secondChars = 7
const secondsMax = 36 ** secondChars - 1

/** The key of an entry that expires. */
export interface ExpiringKey {
  readonly key: string
  /** In milliseconds since the Unix epoch, of full seconds: not before the entry expires. */
  readonly expiresAtMs: number
}

/** The keys in a text of them. */
export function decodeKeys(text: string): readonly string[] {
  return cut(text, keyChars)
}

/** The keys with their ends in a text of them. */
export function decodeExpiringKeys(text: string): readonly ExpiringKey[] {
  return cut(text, keyChars + secondChars).map((one) => ({
    key: one.slice(0, keyChars),
    expiresAtMs: Number.parseInt(one.slice(keyChars), 36) * 1_000,
  }))
}

/** The text of one key. */
export function encodeExpiringKey({ key, expiresAtMs }: ExpiringKey): string {
  const seconds = Math.min(Math.ceil(expiresAtMs / 1_000), secondsMax)
  return key + seconds.toString(36).padStart(secondChars, '0')
}

function cut(text: string, length: number): readonly string[] {
  const pieces: string[] = []
  for (let at = 0; at < text.length; at += length) pieces.push(text.slice(at, at + length))
  return pieces
}
