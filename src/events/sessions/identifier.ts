/** The identifier family: streams `identifier-{digest}`, each of one identifier in one application, which belongs to one user at a time. */

import type { DomainEvent } from '../recording/event.ts'

/** Times are in milliseconds since the Unix epoch. */
export type IdentifierEvent =
  /** Nobody else may have it, as long as the user may come to be, or is there. */
  | DomainEvent<
      'IdentifierClaimed',
      { readonly user_id: string; readonly app_id: string; readonly claimed_at: number }
    >
  /** The same, for a user who is there and is given it next, by whoever comes upon the claim. */
  | DomainEvent<
      'NameClaimed',
      { readonly user_id: string; readonly app_id: string; readonly claimed_at: number }
    >
  | DomainEvent<'IdentifierReleased', { readonly user_id: string; readonly app_id: string }>

export interface IdentifierClaim {
  readonly user: string
  readonly claimed_at: number
  /** Whether it is for a user who is there, and is yet to be given to them, or has been. */
  readonly isName: boolean
}

/** Of the identifier with this digest, keyed, of application, type and value: no personal data stands in it. */
export const identifierStream = (digest: string): string => `identifier-${digest}`

/** Who has the identifier after one more event; undefined when nobody has. */
export function evolveIdentifier(
  _: IdentifierClaim | undefined,
  { type, data }: IdentifierEvent,
): IdentifierClaim | undefined {
  if (type === 'IdentifierReleased') return undefined
  return { user: data.user_id, claimed_at: data.claimed_at, isName: type === 'NameClaimed' }
}
