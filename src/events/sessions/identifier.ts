/** Declares the claims of identifiers by users (streams `identifier-{digest}`), and folds them. */

import { defineNonPersonalEvent, type EventOf } from '../recording/eventDefinition.ts'
import { epochMs, nonEmptyString } from '../recording/eventSchema.ts'

export interface IdentifierClaim {
  readonly user: string
  readonly claimed_at: number
  /** Whether it is for a user who is there, and is yet to be given to them, or has been. */
  readonly isName: boolean
  /** Of the event that made it: the same user's next claim is another one. */
  readonly revision: number
}

/** The stream of an identifier, which may be unclaimed. */
export interface IdentifierState {
  readonly claim?: IdentifierClaim
}

/** Stream by the keyed digest of application, type and value, so that it contains no personal data. */
export const identifierStream = (digest: string): string => `identifier-${digest}`

export const unclaimedIdentifier: IdentifierState = {}

export function evolveIdentifier(
  _: IdentifierState,
  { type, data }: IdentifierEvent,
  revision: number,
): IdentifierState {
  if (type === 'IdentifierReleased') return unclaimedIdentifier
  const { user_id: user, claimed_at } = data
  return { claim: { user, claimed_at, isName: type === 'NameClaimed', revision } }
}

const claimed = defineNonPersonalEvent({
  user_id: nonEmptyString,
  app_id: nonEmptyString,
  claimed_at: epochMs,
})

/** Times are in milliseconds since the Unix epoch. */
export const identifierEvents = {
  /** Reserved for a user who is created with it, or exists. */
  IdentifierClaimed: claimed,
  /** Same, for an existing user, to whom the next command that finds the claim gives it. */
  NameClaimed: claimed,
  IdentifierReleased: defineNonPersonalEvent({ user_id: nonEmptyString, app_id: nonEmptyString }),
}

export type IdentifierEvent = EventOf<typeof identifierEvents>
