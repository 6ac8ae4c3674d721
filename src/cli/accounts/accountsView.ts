/** How accounts are shown to their operator. */

import type { AccountTokenView, AccountView } from '../../service/accounts/accountsPart.ts'
import { fieldLines, fieldText } from '../terminal/fields.ts'
import type { Screen } from '../terminal/screen.ts'
import { type Column, table } from '../terminal/table.ts'

const columns: readonly Column[] = [
  { title: 'ID' },
  { title: 'AUTHORING' },
  { title: 'MANAGEMENT' },
  { title: 'TRUSTED USER' },
  { title: 'TOKENS', align: 'right' },
  { title: 'OPENED' },
  { title: 'NAME', widthMax: 48, narrow: 'wrap' },
]

interface TokenColumn extends Column {
  readonly cell: (token: AccountTokenView) => string
}

const tokenColumns: readonly TokenColumn[] = [
  { title: 'TOKEN', cell: ({ token_id }) => token_id },
  { title: 'NAME', widthMax: 48, narrow: 'wrap', cell: ({ name = '' }) => name },
  { title: 'ISSUED', cell: ({ issued_at }) => issued_at },
  { title: 'EXPIRES', cell: ({ expires_at = '' }) => expires_at },
  { title: 'LAST USED', cell: ({ last_used_at = '' }) => last_used_at },
  { title: 'REVOKED', cell: ({ revoked_at = '' }) => revoked_at },
  { title: 'SCOPES', narrow: 'wrap', cell: ({ scopes }) => scopes.join(', ') },
]

interface Shown {
  readonly screen: Screen
  readonly nowMs: number
}

/** A line for each account, with the number of its tokens in force. */
export function accountTable(
  accounts: readonly AccountView[],
  { screen, nowMs }: Shown,
): readonly string[] {
  if (accounts.length === 0) return ['No accounts.']
  const rows = accounts.map((account) => [
    account.account_id,
    fieldText(account.authoring),
    fieldText(account.management),
    fieldText(account.trusted_user),
    String(account.tokens.filter((token) => isInForce(token, nowMs)).length),
    account.opened_at,
    account.name,
  ])
  return table(columns, rows, screen)
}

function isInForce({ revoked_at, expires_at }: AccountTokenView, nowMs: number): boolean {
  return revoked_at === undefined && (expires_at === undefined || nowMs < Date.parse(expires_at))
}

/** The fields of one account, and a line for each of its tokens; a column that none of them has is left out. */
export function accountLines(account: AccountView, screen: Screen): readonly string[] {
  const { tokens, ...fields } = account
  if (tokens.length === 0) return [...fieldLines(fields), '', 'No tokens.']
  const used = tokenColumns.filter(({ cell }) => tokens.some((token) => cell(token) !== ''))
  const rows = tokens.map((token) => used.map(({ cell }) => cell(token)))
  return [...fieldLines(fields), '', ...table(used, rows, screen)]
}
