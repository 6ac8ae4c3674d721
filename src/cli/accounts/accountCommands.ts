/** Declares `vigil accounts` and `vigil access`: opens and lists accounts, sets what they may use. */

import type { AccountTokenView, AccountView, SdkKeyView } from '../../queries/accounts/accounts.ts'
import type { CommandRow } from '../connecting/commandRow.ts'
import type { Invocation } from '../connecting/invocation.ts'
import { onOrOff } from '../terminal/describe.ts'
import { type CellColumn, fieldLines, itemTable } from '../terminal/table.ts'

const path = '/v2/operator/accounts'
const sample = 'acc_01jc0t6fwwfgfsq1md24mhyztj'
const name = { title: 'NAME', cell: 'name', widthMax: 48, narrow: 'wrap' } as const

const columns = (_: readonly AccountView[], nowMs: number): readonly CellColumn<AccountView>[] => [
  { title: 'ID', cell: 'account_id' },
  { title: 'AUTHORING', cell: 'authoring' },
  { title: 'MANAGEMENT', cell: 'management' },
  { title: 'TRUSTED USER', cell: 'trusted_user' },
  { title: 'CUSTOM SUFFIX', cell: 'custom_suffix' },
  { title: 'TOKENS', cell: ({ tokens }) => activeTokens(tokens, nowMs), align: 'right' },
  { title: 'OPENED', cell: 'opened_at' },
  name,
]

const tokenColumns: readonly CellColumn<AccountTokenView>[] = [
  { title: 'TOKEN', cell: 'token_id' },
  { ...name, optional: true },
  { title: 'ISSUED', cell: 'issued_at' },
  { title: 'EXPIRES', cell: 'expires_at', optional: true },
  { title: 'LAST USED', cell: 'last_used_at', optional: true },
  { title: 'REVOKED', cell: 'revoked_at', optional: true },
  { title: 'SCOPES', cell: 'scopes', narrow: 'wrap' },
]

export const sdkKeyColumns: readonly CellColumn<SdkKeyView>[] = [
  { title: 'KEY', cell: 'key_id' },
  { ...name, optional: true },
  { title: 'ISSUED', cell: 'issued_at' },
  { title: 'LAST USED', cell: 'last_used_at', optional: true },
  { title: 'REVOKED', cell: 'revoked_at', optional: true },
  { title: 'ORIGINS', cell: 'origins', optional: true, narrow: 'wrap' },
  { title: 'SDK KEY', cell: 'sdk_key' },
]

export const accountCommands: CommandRow = {
  usage: 'accounts',
  summary: 'Open and list accounts (operator).',
  example: 'vigil accounts list',
  commands: [
    {
      usage: 'open <name>',
      summary: 'Open an account and print its id.',
      example: 'vigil accounts open "Shop"',
      caller: 'operator',
      request: `POST ${path}`,
      body: { name: '<name>' },
    },
    {
      usage: 'list',
      summary: 'List all accounts, what each may use, and how many active tokens it has.',
      caller: 'operator',
      request: `GET ${path}`,
      list: { name: 'accounts', columns, none: 'No accounts.' },
    },
    {
      usage: 'get <account>',
      summary: 'Print an account with its tokens; their secrets are not stored.',
      example: `vigil accounts get ${sample}`,
      caller: 'operator',
      request: `GET ${path}/<account>`,
      lines: accountLines,
    },
  ],
}

export const accessCommand: CommandRow = {
  usage: 'access <account>',
  summary: 'Set what an account may use (operator); options that are not given change nothing.',
  example: `vigil access ${sample} --authoring on`,
  options: {
    '--authoring <on|off>': { meaning: 'author rules, recipes and flows', parse: onOrOff },
    '--management <on|off>': { meaning: 'manage verification settings', parse: onOrOff },
    '--trusted-user <on|off>': { meaning: 'send signals.is_trusted_user', parse: onOrOff },
    '--custom-suffix <on|off>': { meaning: 'use its own suffixes in templates', parse: onOrOff },
  },
  caller: 'operator',
  request: `PUT ${path}/<account>/access`,
  body: {
    authoring: '--authoring',
    management: '--management',
    trusted_user: '--trusted-user',
    custom_suffix: '--custom-suffix',
  },
  empty: 'Say what to change: --authoring, --management, --trusted-user or --custom-suffix.',
}

function activeTokens(tokens: readonly AccountTokenView[], nowMs: number): string {
  const active = tokens.filter(
    ({ revoked_at, expires_at }) =>
      revoked_at === undefined && (expires_at === undefined || nowMs < Date.parse(expires_at)),
  )
  return String(active.length)
}

/** The fields of an account, a table of its tokens, and one of its SDK keys. */
function accountLines(account: AccountView, { screen }: Invocation): readonly string[] {
  const { tokens, sdk_keys, ...fields } = account
  return [
    ...fieldLines(fields),
    '',
    ...(tokens.length === 0 ? ['No tokens.'] : itemTable(tokenColumns, tokens, screen)),
    ...(sdk_keys.length === 0 ? [] : ['', ...itemTable(sdkKeyColumns, sdk_keys, screen)]),
  ]
}
