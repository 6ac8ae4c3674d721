/** The event types of the user family, as the catalogue needs them. */

import { type Identifier, identifierKinds } from '../../domain/identifiers.ts'
import { type Definitions, plain, type SubjectOf } from '../recording/definition.ts'
import { integerFrom, list, object, oneOf, time, word } from '../recording/schema.ts'
import { passwordSubject, type UserEvent, userSubject } from './user.ts'

/** Who is erased by number or address is erased as a user, too. */
const alsoOf = ({ identifiers }: { readonly identifiers: readonly Identifier[] }): SubjectOf[] =>
  identifiers.flatMap(({ type, value }) => {
    const kind = identifierKinds[type]
    return kind ? [{ kind, value }] : []
  })

export const userEvents: Definitions<UserEvent> = {
  UserCreated: {
    version: 1,
    schema: object({
      user_id: word,
      app_id: word,
      account_id: word,
      identifier_digests: list(word),
      created_at: time,
    }),
    upcasters: [],
    personal: {
      identifiers: {
        subject: ({ user_id }) => userSubject(user_id),
        also: alsoOf,
        schema: list(object({ type: word, value: word })),
      },
    },
  },
  UserCreationAbandoned: plain(object({ user_id: word, abandoned_at: time })),
  UserNamed: plain(object({ user_id: word, identifier_digest: word, named_at: time })),
  UserDeleted: plain(object({ user_id: word, deleted_at: time })),
  PasswordChanged: {
    version: 1,
    schema: object(
      {
        user_id: word,
        password_id: word,
        by: oneOf(['user', 'account', 'rehash']),
        changed_at: time,
      },
      { session_id: word },
    ),
    upcasters: [],
    personal: {
      hash: {
        subject: ({ user_id, password_id }) => passwordSubject(user_id, password_id),
        schema: word,
      },
    },
  },
  ScopeGranted: plain(
    object(
      { user_id: word, grant_id: word, scope: word, granted_at: time, expires_at: time },
      { session_id: word },
    ),
  ),
  ScopeUsed: plain(object({ user_id: word, grant_id: word, session_id: word, used_at: time })),
  SessionsRevoked: plain(
    object(
      {
        user_id: word,
        epoch: integerFrom(1),
        reason: oneOf(['user', 'account', 'password']),
        revoked_at: time,
      },
      { kept_session_id: word },
    ),
  ),
}
