/** How accounts are shown to their operator. */

import type { Body } from '../connecting/client.ts'
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

const tokenColumns: readonly Column[] = [
  { title: 'TOKEN' },
  { title: 'ISSUED' },
  { title: 'REVOKED' },
  { title: 'SCOPES', narrow: 'wrap' },
]

/** A line for each account, with the number of its tokens in force. */
export function accountTable(accounts: readonly Body[], screen: Screen): readonly string[] {
  if (accounts.length === 0) return ['No accounts.']
  const rows = accounts.map((account) => [
    ...['account_id', 'authoring', 'management', 'trusted_user'].map((field) =>
      fieldText(account[field]),
    ),
    String(tokensOf(account).filter(({ revoked_at }) => revoked_at === undefined).length),
    fieldText(account['opened_at']),
    fieldText(account['name']),
  ])
  return table(columns, rows, screen)
}

/** The fields of one account, and a line for each of its tokens. */
export function accountLines(account: Body, screen: Screen): readonly string[] {
  const { tokens: _, ...fields } = account
  const tokens = tokensOf(account)
  if (tokens.length === 0) return [...fieldLines(fields), '', 'No tokens.']
  const rows = tokens.map((token) =>
    ['token_id', 'issued_at', 'revoked_at', 'scopes'].map((field) => fieldText(token[field])),
  )
  return [...fieldLines(fields), '', ...table(tokenColumns, rows, screen)]
}

function tokensOf({ tokens }: Body): readonly Body[] {
  return Array.isArray(tokens) ? (tokens as readonly Body[]) : []
}
