/** Users and sessions as people read them. */

import type { SessionView, UserView } from '../../commands/sessions/views.ts'
import { printable, type Screen } from '../terminal/screen.ts'
import { type Column, table } from '../terminal/table.ts'

const userColumns: readonly Column[] = [
  { title: 'ID' },
  { title: 'CREATED' },
  { title: 'IDENTIFIERS' },
]

/** A line for each user. */
export function userTable(users: readonly UserView[], screen: Screen): readonly string[] {
  const rows = users.map((user) => [user.id, user.created_at, identifiersOf(user)])
  return table(userColumns, rows, screen)
}

function identifiersOf({ identifiers }: UserView): string {
  return identifiers.map(({ type, value }) => `${type}=${value}`).join(' ')
}

/** The fields of one user. */
export function userFields(user: UserView) {
  return { ...user, identifiers: identifiersOf(user) || 'none' }
}

const sessionColumns: readonly Column[] = [
  { title: 'ID' },
  { title: 'LAST SEEN' },
  { title: 'EXPIRES' },
  { title: 'DEVICE' },
  { title: 'COUNTRY' },
]

/** A line for each session. */
export function sessionTable(sessions: readonly SessionView[], screen: Screen): readonly string[] {
  const rows = sessions.map((session) => [
    session.id,
    session.last_seen_at,
    session.expires_at,
    printable([session.device_type, session.device_model, session.os_version].join(' ').trim()),
    session.country_code,
  ])
  return table(sessionColumns, rows, screen)
}
