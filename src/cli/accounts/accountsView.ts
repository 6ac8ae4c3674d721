/** Prints accounts with their API tokens and SDK keys. */

import type { AccountTokenView, AccountView, SdkKeyView } from '../../queries/accounts/accounts.ts'
import type { Screen } from '../terminal/screen.ts'
import { type Column, fieldLines, fieldText, table } from '../terminal/table.ts'

const columns: readonly Column[] = [
  { title: 'ID' },
  { title: 'AUTHORING' },
  { title: 'MANAGEMENT' },
  { title: 'TRUSTED USER' },
  { title: 'CUSTOM SUFFIX' },
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

interface SdkKeyColumn extends Column {
  readonly cell: (key: SdkKeyView) => string
}

const sdkKeyColumns: readonly SdkKeyColumn[] = [
  { title: 'KEY', cell: ({ key_id }) => key_id },
  { title: 'NAME', widthMax: 48, narrow: 'wrap', cell: ({ name = '' }) => name },
  { title: 'ISSUED', cell: ({ issued_at }) => issued_at },
  { title: 'LAST USED', cell: ({ last_used_at = '' }) => last_used_at },
  { title: 'REVOKED', cell: ({ revoked_at = '' }) => revoked_at },
  { title: 'ORIGINS', narrow: 'wrap', cell: ({ origins = [] }) => origins.join(', ') },
  { title: 'SDK KEY', cell: ({ sdk_key }) => sdk_key },
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
    fieldText(account.custom_suffix),
    String(account.tokens.filter((token) => isInForce(token, nowMs)).length),
    account.opened_at,
    account.name,
  ])
  return table(columns, rows, screen)
}

function isInForce({ revoked_at, expires_at }: AccountTokenView, nowMs: number): boolean {
  return revoked_at === undefined && (expires_at === undefined || nowMs < Date.parse(expires_at))
}

/** The fields of one account, a line for each of its tokens, and for each of its front ends' keys. */
export function accountLines(account: AccountView, screen: Screen): readonly string[] {
  const { tokens, sdk_keys, ...fields } = account
  const shown =
    tokens.length === 0 ? ['No tokens.'] : tableOf({ columns: tokenColumns, items: tokens }, screen)
  const keys = sdk_keys.length === 0 ? [] : ['', ...sdkKeyTable(sdk_keys, screen)]
  return [...fieldLines(fields), '', ...shown, ...keys]
}

/** A line for each key. */
export function sdkKeyTable(keys: readonly SdkKeyView[], screen: Screen): readonly string[] {
  if (keys.length === 0) return ['No SDK keys.']
  return tableOf({ columns: sdkKeyColumns, items: keys }, screen)
}

interface Listed<Item> {
  readonly columns: readonly (Column & { readonly cell: (item: Item) => string })[]
  readonly items: readonly Item[]
}

/** A line for each; a column that none of them has is left out. */
function tableOf<Item>({ columns: all, items }: Listed<Item>, screen: Screen): readonly string[] {
  const used = all.filter(({ cell }) => items.some((item) => cell(item) !== ''))
  const rows = items.map((item) => used.map(({ cell }) => cell(item)))
  return table(used, rows, screen)
}
