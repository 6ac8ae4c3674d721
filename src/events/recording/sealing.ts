/** Seals and opens personal data of events; under a destroyed key it opens as `forgotten`. */

import { aeadCipher } from './aeadCipher.ts'

/** A personal value in its sealed form, as recorded in the log. */
export interface SealedValue {
  readonly sealed: SealedBox | BoxReference
}

/** Sealed by ChaCha20-Poly1305 (RFC 8439). */
export interface SealedBox {
  readonly key: string
  /** Base64url of nonce (12 bytes), ciphertext, tag (16 bytes). */
  readonly box: string
  /** The fields whose values lie in the box as an object by name; absent where it holds the one value of its own. */
  readonly fields?: readonly string[]
}

/** A value that lies in the box of another field of the event: all that is one subject's is sealed at once. */
interface BoxReference {
  readonly key: string
  /** The field that has the box. */
  readonly in: string
}

/** What opening answers when the key was destroyed. */
export interface ForgottenValue {
  readonly forgotten: true
}

/** A personal field: the clear value before encoding and after opening, sealed in between. */
export type PersonalValue<Value> = Value | SealedValue | ForgottenValue

/**
 * What became of a key: here is its secret, it was destroyed, which is recorded, or it cannot be read. One that is lost
 * has no state.
 */
export type KeyState = Uint8Array | 'destroyed' | 'damaged'

/** Whose data it is. */
export type SubjectKind =
  | 'phone'
  | 'email'
  | 'dispatch'
  | 'user'
  // values of lists that belong to nobody who could be told by them: each stands for itself
  | 'email_domain'
  | 'ip'
  | 'text'

/**
 * What is looked up and counted by is no subject: whoever puts a value on a list does not learn its digest as a signal.
 */
type LookupPurpose = `lookup ${string}`

/** A key to seal under. */
export interface AssignedKey {
  readonly id: string
  readonly secret: Uint8Array
}

/** What a key is wanted for. */
interface KeyUse {
  /** Of the event; see `catalogue.ts`. */
  readonly area: string
  /** Of the event, in milliseconds since the Unix epoch. */
  readonly timeMs: number
}

/** The key ring: keys to seal personal data under, and digests to record in its stead. */
export interface Keyring {
  /**
   * The subject of a canonical value within an account: 22 characters of base64url, of which nothing can be learned
   * without the master key. The same for the same three.
   */
  readonly subject: (account: string, kind: SubjectKind | LookupPurpose, value: string) => string
  /** Keyed digest of a text for one purpose: 43 characters of base64url. */
  readonly digest: (purpose: string, text: string) => string
  /**
   * A key of these subjects for an area and a time, on disk already: it serves no others, no other area, and thirty
   * days. Throws `unavailable` when none is left.
   */
  readonly assign: (subjects: string, use: KeyUse) => AssignedKey
  /** The state of each of these keys; absent where it is lost. */
  readonly keys: (ids: readonly string[]) => Promise<ReadonlyMap<string, KeyState>>
  /** 12 unpredictable bytes, never the same again; to be used before the next call. */
  readonly nonce: () => Uint8Array
}

function refuse(): never {
  throw new Error('this event has no personal data to seal')
}

/** The key ring for events without personal data: each of its functions throws an `Error`. */
export const noKeyring: Keyring = {
  subject: refuse,
  digest: refuse,
  assign: refuse,
  keys: refuse,
  nonce: refuse,
}

/** The event and field that a sealed value belongs to; it opens for no other. */
export interface SealedField {
  /** UUID of the event. */
  readonly event: string
  /** The field that has the box, or all the fields that lie in it, joined by `+`. */
  readonly field: string
}

/** What a box is sealed under. */
export interface SealingInput {
  readonly key: AssignedKey
  readonly nonce: Uint8Array
}

/** Seals a JSON value under a key of the key ring, for one event and field. */
export function sealValue(
  value: unknown,
  field: SealedField,
  { key: { id, secret }, nonce }: SealingInput,
): { readonly sealed: SealedBox } {
  const additionalData = formatAdditionalData(field)
  const box = aeadCipher.seal(JSON.stringify(value), { secret, nonce, additionalData })
  return { sealed: { key: id, box } }
}

/** The value in a box. Throws when the secret is not its key's, or the box was altered or moved. */
export function openBox(
  { box }: Pick<SealedBox, 'box'>,
  field: SealedField,
  secret: Uint8Array,
): unknown {
  const text = aeadCipher.open(box, { secret, additionalData: formatAdditionalData(field) })
  if (text !== undefined) return JSON.parse(text)
  throw new Error(`${field.field}: sealed under another key, altered or moved`)
}

function formatAdditionalData({ event, field }: SealedField): string {
  return `${event}/${field}`
}

export function isSealed(value: unknown): value is SealedValue {
  return typeof value === 'object' && value !== null && 'sealed' in value
}

/** Of an opened event. */
export function isForgotten(value: unknown): value is ForgottenValue {
  return typeof value === 'object' && value !== null && 'forgotten' in value
}
