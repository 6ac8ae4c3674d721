/** Declares `vigil accounts`, `access`, `tokens` with their expiry, and `sdk-keys` (operator). */

import { InvalidArgumentError } from 'commander'
import { scopes } from '../../domain/principal.ts'
import { isoTime } from '../../domain/text/isoTime.ts'
import type { AccountTokenView, AccountView, SdkKeyView } from '../../queries/accounts/accounts.ts'
import type { CommandDefinition } from '../connecting/commandDefinition.ts'
import type { Invocation } from '../connecting/invocation.ts'
import {
  collectChoices,
  collectStrings,
  completeTime,
  onOffOption,
  type ResolveTime,
} from '../terminal/optionValues.ts'
import { formatFields, formatItemTable, type ItemColumns } from '../terminal/table.ts'

const path = '/v2/operator/accounts'
const name = { cell: 'name', widthMax: 48, narrow: 'wrap' } as const

const columns = (_: readonly AccountView[], nowMs: number): ItemColumns<AccountView> => ({
  ID: 'account_id',
  AUTHORING: 'authoring',
  MANAGEMENT: 'management',
  'TRUSTED USER': 'trusted_user',
  'CUSTOM SUFFIX': 'custom_suffix',
  TOKENS: { cell: ({ tokens }) => countActiveTokens(tokens, nowMs), align: 'right' },
  OPENED: 'opened_at',
  NAME: name,
})

const tokenColumns: ItemColumns<AccountTokenView> = {
  TOKEN: 'token_id',
  NAME: { ...name, optional: true },
  ISSUED: 'issued_at',
  EXPIRES: { cell: 'expires_at', optional: true },
  'LAST USED': { cell: 'last_used_at', optional: true },
  REVOKED: { cell: 'revoked_at', optional: true },
  SCOPES: { cell: 'scopes', narrow: 'wrap' },
}

const sdkKeyColumns: ItemColumns<SdkKeyView> = {
  KEY: 'key_id',
  NAME: { ...name, optional: true },
  ISSUED: 'issued_at',
  'LAST USED': { cell: 'last_used_at', optional: true },
  REVOKED: { cell: 'revoked_at', optional: true },
  ORIGINS: { cell: 'origins', optional: true, narrow: 'wrap' },
  'SDK KEY': 'sdk_key',
}

export const accountCommands: CommandDefinition = {
  summary: 'Open and list accounts (operator).',
  example: 'vigil accounts list',
  caller: 'operator',
  commands: {
    'open <name>': {
      summary: 'Open an account and print its id.',
      example: 'vigil accounts open "Shop"',
      request: `POST ${path}`,
      body: { name: '<name>' },
    },
    list: {
      summary: 'List all accounts, what each may use, and how many active tokens it has.',
      request: `GET ${path}`,
      list: { name: 'accounts', columns },
    },
    'get <account>': {
      summary: 'Print an account with its tokens; their secrets are not stored.',
      request: `GET ${path}/<account>`,
      lines: formatAccount,
    },
  },
}

export const accessCommand: CommandDefinition = {
  summary: 'Set what an account may use (operator); options that are not given change nothing.',
  example: '--authoring on',
  options: {
    '--authoring <on|off>': onOffOption('author rules, recipes and flows'),
    '--management <on|off>': onOffOption('manage verification settings'),
    '--trusted-user <on|off>': onOffOption('send signals.is_trusted_user'),
    '--custom-suffix <on|off>': onOffOption('use its own suffixes in templates'),
  },
  caller: 'operator',
  request: `PUT ${path}/<account>/access`,
  body: {
    authoring: '--authoring',
    management: '--management',
    trusted_user: '--trusted-user',
    custom_suffix: '--custom-suffix',
  },
  emptyBodyError:
    'Say what to change: --authoring, --management, --trusted-user or --custom-suffix.',
}

function countActiveTokens(tokens: readonly AccountTokenView[], nowMs: number): string {
  const active = tokens.filter(
    ({ revoked_at, expires_at }) =>
      revoked_at === undefined && (expires_at === undefined || nowMs < Date.parse(expires_at)),
  )
  return String(active.length)
}

/** The fields of an account, a table of its tokens, and one of its SDK keys. */
function formatAccount(account: AccountView, { screen }: Invocation): readonly string[] {
  const { tokens, sdk_keys, ...fields } = account
  return [
    ...formatFields(fields),
    '',
    ...(tokens.length === 0 ? ['No tokens.'] : formatItemTable(tokenColumns, tokens, screen)),
    ...(sdk_keys.length === 0 ? [] : ['', ...formatItemTable(sdkKeyColumns, sdk_keys, screen)]),
  ]
}

const dayMs = 24 * 60 * 60 * 1_000

export const tokenCommands: CommandDefinition = {
  summary: 'Issue and revoke API tokens (operator).',
  example: 'vigil tokens issue acc_01jc0t6fwwfgfsq1md24mhyztj --scope eval',
  caller: 'operator',
  commands: {
    'issue <account>': {
      summary: 'Issue an API token; it is printed this once.',
      example: '--scope eval,author --name "Shop backend" --expires 90d',
      options: {
        '--scope <scope>': {
          description: `${scopes.join(', ')}; may be repeated`,
          parse: collectChoices(scopes),
          required: true,
        },
        '--name <name>': 'its name: where it is used, or by whom',
        '--expires <time>': {
          description:
            'when it ends: ISO 8601, in UTC unless with a zone, or days from now such as 90d; never by default',
          parse: parseExpiry,
        },
      },
      request: `POST ${path}/<account>/tokens`,
      body: { scopes: '--scope', name: '--name', expires_at: '--expires' },
    },
    'revoke <account> <token-id>': {
      summary: 'Revoke an API token; already revoked is not an error.',
      request: `DELETE ${path}/<account>/tokens/<token-id>`,
      confirmation: {
        sentence: 'Revoked <token-id>.',
        json: { token_id: '<token-id>', revoked: true },
      },
    },
  },
}

export const sdkKeyCommands: CommandDefinition = {
  summary: 'Issue, list and revoke the public keys of front ends (operator).',
  caller: 'operator',
  commands: {
    'issue <account>': {
      summary: 'Issue a public key, which can only send signals.',
      example: '--name "Web shop"',
      options: {
        '--name <name>': 'its name: the site or app that contains it',
        '--origin <origin>': {
          description: 'a web origin that may use it; may be repeated',
          parse: collectStrings,
        },
      },
      request: `POST ${path}/<account>/sdk-keys`,
      body: { name: '--name', origins: '--origin' },
    },
    'origins <account> <key-id>': {
      arguments: {
        '<origins...>': { description: 'or none, to allow all', parse: collectStrings },
      },
      summary: 'Replace the web origins that may use a key.',
      request: `PUT ${path}/<account>/sdk-keys/<key-id>`,
      body: { origins: '<origins>' },
    },
    'list <account>': {
      summary: 'List the keys of an account.',
      request: `GET ${path}/<account>`,
      list: {
        name: 'sdk_keys',
        columns: sdkKeyColumns,
        emptyListMessage: 'No SDK keys.',
        isPaged: false,
      },
    },
    'revoke <account> <key-id>': {
      summary: 'Revoke a key; already revoked is not an error.',
      request: `DELETE ${path}/<account>/sdk-keys/<key-id>`,
      confirmation: { sentence: 'Revoked <key-id>.', json: { key_id: '<key-id>', revoked: true } },
    },
  },
}

/** Parses the end of a token. */
function parseExpiry(given: string): ResolveTime {
  const days = /^(\d{1,4})d$/.exec(given)?.[1]
  if (days !== undefined) return (nowMs) => isoTime(nowMs + Number(days) * dayMs)
  const time = completeTime(given)
  if (time !== undefined) return () => time
  throw new InvalidArgumentError(
    'Must be a time such as 2027-11-21T07:30 (UTC, or with a zone), or days such as 90d.',
  )
}
