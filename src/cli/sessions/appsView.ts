/** How applications are shown. */

import type { AppView } from '../../commands/sessions/views.ts'
import type { Screen } from '../terminal/screen.ts'
import { type Column, fieldLines, table } from '../terminal/table.ts'

const columns: readonly Column[] = [
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
  return table(columns, rows, screen)
}

/** The fields of one application, and below them its settings under the names that the API has for them. */
export function appLines({ settings, ...app }: AppView): readonly string[] {
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
