/** Formats applications, users and sessions as tables and fields. */

import type { AppView, SessionView, UserView } from '../../commands/sessions/views.ts'
import { printable, type Screen } from '../terminal/screen.ts'
import { type Column, fieldLines, table } from '../terminal/table.ts'

const appColumns: readonly Column[] = [
  { title: 'ID' },
  { title: 'REGISTERED' },
  { title: 'RETIRED' },
  { title: 'NAME', widthMax: 48, narrow: 'wrap' },
]

/** A line for each application. */
export function appTable(apps: readonly AppView[], screen: Screen): readonly string[] {
  if (apps.length === 0) return ['No applications.']
  const rows = apps.map(({ app_id, registered_at, retired_at = '', name }) => [
    app_id,
    registered_at,
    retired_at,
    name,
  ])
  return table(appColumns, rows, screen)
}

/** The fields of one application, then its settings under their API names. */
export function appFields({ settings, ...app }: AppView): readonly string[] {
  const { tokens, password, allowed_origins, password_change_revokes } = settings
  return [
    ...fieldLines(app),
    '',
    ...fieldLines({
      ...prefixed('tokens', tokens),
      ...prefixed('password', password),
      allowed_origins: allowed_origins.length > 0 ? allowed_origins : 'none',
      password_change_revokes,
    }),
  ]
}

function prefixed(prefix: string, fields: object): object {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [`${prefix}.${name}`, value]),
  )
}

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
