/** The users of applications, as the back ends of their accounts see them. */

import type { Asking, Call, Page, PageRequest, Seen, Written } from '../../domain/call.ts'
import type { Identifier } from '../../domain/identifiers.ts'
import type { Principal } from '../../domain/principal.ts'
import type { AppPlace } from './sessionsPart.ts'

/** Times in ISO 8601 UTC. */
export interface UserView {
  readonly id: string
  /** None of a person who was erased. */
  readonly identifiers: readonly Identifier[]
  readonly created_at: string
}

export interface UserInput {
  readonly identifiers: readonly Identifier[]
}

/** Users of an application: all of them, or the one with an identifier. */
export interface UsersAsked extends PageRequest {
  readonly identifier?: Identifier
}

/** A user, and the application that they are looked for in. */
export interface UserPlace extends AppPlace {
  readonly userId: string
}

type AnyCall = Call<Principal>

/**
 * Every function throws `app_not_found` for an application that the account has not, and `not_found` for a user whom the application has
 * not, or not any more. Those of an application that is retired can be found and deleted, and no more are created.
 */
export interface UsersPart {
  readonly users: {
    /**
     * Throws `identifier_already_exists` when another user of the application has one of the identifiers, `invalid_request` for what is
     * none, and `conflict` when another request is about to take one of them.
     */
    readonly create: (
      call: AnyCall,
      place: AppPlace,
      input: UserInput,
    ) => Promise<Written<UserView>>
    /** In the order in which they were created. Throws `invalid_request` for what is no cursor, or no identifier. */
    readonly list: (
      call: AnyCall,
      place: AppPlace,
      asked: UsersAsked,
    ) => Promise<Seen<Page<UserView>>>
    readonly get: (place: UserPlace, asking: Asking) => Promise<Seen<UserView>>
    /** Erases what is known of the person; all sessions end. Again is no error. */
    readonly remove: (call: AnyCall, place: UserPlace) => Promise<Written<void>>
  }
}
