/** How accounts are shown to their operator. */

import type { Body } from '../connecting/client.ts'
import { fieldLines, fieldText } from '../terminal/fields.ts'
import type { Paint } from '../terminal/paint.ts'
import { type Column, table } from '../terminal/table.ts'

const columns: readonly Column[] = [
  { title: 'ID' },
  { title: 'AUTHORING' },
  { title: 'MANAGEMENT' },
  { title: 'TRUSTED USER' },
  { title: 'TOKENS', align: 'right' },
  { title: 'OPENED' },
  { title: 'NAME', widthMax: 48 },
]

const tokenColumns: readonly Column[] = [
  { title: 'TOKEN' },
  { title: 'ISSUED' },
  { title: 'REVOKED' },
  { title: 'SCOPES' },
]

/** A line for each account, with the number of its tokens in force. */
export function accountTable(accounts: readonly Body[], paint: Paint): readonly string[] {
  if (accounts.length === 0) return ['No accounts.']
  const rows = accounts.map((account) => [
    ...['account_id', 'authoring', 'management', 'trusted_user'].map((field) =>
      fieldText(account[field]),
    ),
    String(tokensOf(account).filter(({ revoked_at }) => revoked_at === undefined).length),
    fieldText(account['opened_at']),
    fieldText(account['name']),
  ])
  return table(columns, rows, paint)
}

/** The fields of one account, and a line for each of its tokens. */
export function accountLines(account: Body, paint: Paint): readonly string[] {
  const { tokens: _, ...fields } = account
  const tokens = tokensOf(account)
  if (tokens.length === 0) return [...fieldLines(fields), '', 'No tokens.']
  const rows = tokens.map((token) =>
    ['token_id', 'issued_at', 'revoked_at', 'scopes'].map((field) => fieldText(token[field])),
  )
  return [...fieldLines(fields), '', ...table(tokenColumns, rows, paint)]
}

function tokensOf({ tokens }: Body): readonly Body[] {
  return Array.isArray(tokens) ? (tokens as readonly Body[]) : []
}
