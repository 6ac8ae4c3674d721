/** Declares `vigil apps`: settings, signing keys, migration; adds `--account` to app commands. */

import { numericAppSettings, passwordChangeRevokes } from '../../domain/sessions/appSettings.ts'
import type { AppView, MigrationConfigView, SigningKeyView } from '../../state/sessions/views.ts'
import type { CommandDefinition } from '../connecting/commandDefinition.ts'
import { collectStrings, integerParser } from '../terminal/optionValues.ts'
import { formatFields, type ItemColumns } from '../terminal/table.ts'

/** The row with a request below the list of applications, and with `--account`. */
export function defineAppCommand(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  row: CommandDefinition,
): CommandDefinition {
  return {
    ...row,
    options: { ...row.options, '--account <account>': 'run it for this account (operator)' },
    request: `${method} /v2/session/apps${path}`,
    forAccount: `/v2/operator/accounts/<--account>/apps${path}`,
  }
}

const appColumns: ItemColumns<AppView> = {
  ID: 'app_id',
  REGISTERED: 'registered_at',
  RETIRED: 'retired_at',
  NAME: { cell: 'name', widthMax: 48, narrow: 'wrap' },
}
const keyColumns: ItemColumns<SigningKeyView> = {
  KID: 'kid',
  STATUS: 'status',
  ADDED: 'added_at',
  RETIRED: 'retired_at',
}

function bounded(field: keyof typeof numericAppSettings, description: string) {
  const { minimum, maximum } = numericAppSettings[field]
  return { description, parse: integerParser(minimum, maximum) }
}

const setCommand = defineAppCommand('PUT', '/<app>/settings', {
  summary: 'Change settings of an application and print it.',
  example:
    'vigil apps set shop001 --access-seconds 300 --min-length 12 --origin https://shop.example',
  options: {
    '--access-seconds <seconds>': bounded('access_seconds', 'the life of an access token'),
    '--refresh-seconds <seconds>': bounded(
      'refresh_seconds',
      'the life of a session that is not refreshed',
    ),
    '--session-days <days>': bounded('session_days', 'the longest life of a session; 0: no limit'),
    '--signing-key-days <days>': bounded('signing_key_days', 'the time between key rotations'),
    '--min-length <count>': bounded('min_length', 'the least characters of a password'),
    '--max-length <count>': bounded('max_length', 'the most characters of a password'),
    '--uppercase <count>': bounded('uppercase', 'the least capital letters'),
    '--lowercase <count>': bounded('lowercase', 'the least small letters'),
    '--numbers <count>': bounded('numbers', 'the least digits'),
    '--symbols <count>': bounded('symbols', 'the least other characters'),
    '--origin <origin>': {
      description:
        'a web origin that may call its host; may be repeated; replaces all earlier ones; none allows no origin',
      parse: collectStrings,
    },
    '--password-change-revokes <sessions>': {
      description: 'the sessions of a user that a new password ends',
      choices: passwordChangeRevokes,
    },
  },
  body: {
    tokens: {
      access_seconds: '--access-seconds',
      refresh_seconds: '--refresh-seconds',
      session_days: '--session-days',
      signing_key_days: '--signing-key-days',
    },
    password: {
      min_length: '--min-length',
      max_length: '--max-length',
      uppercase: '--uppercase',
      lowercase: '--lowercase',
      numbers: '--numbers',
      symbols: '--symbols',
    },
    allowed_origins: '--origin',
    password_change_revokes: '--password-change-revokes',
  },
  emptyBodyError: 'Say what to set; see --help.',
  lines: appLines,
})

const keys: CommandDefinition = {
  summary: 'List, rotate and retire the signing keys of an application.',
  commands: {
    'list <app>': defineAppCommand('GET', '/<app>/signing-keys', {
      summary: 'List the keys; the last one signs.',
      list: { name: 'signing_keys', columns: keyColumns, isPaged: false },
    }),
    'rotate <app>': defineAppCommand('POST', '/<app>/signing-keys', {
      summary: 'Add a key that signs from now on; earlier keys verify until they are retired.',
    }),
    'retire <app> <kid>': defineAppCommand('DELETE', '/<app>/signing-keys/<kid>', {
      summary: 'Retire a key that no longer signs; its signatures are refused from then on.',
      confirmation: { sentence: 'Retired <kid>.', json: { kid: '<kid>', retired: true } },
    }),
  },
}

const migrationPath = '/v2/session/apps/<app>/config/migration'
const config = ({ config }: MigrationConfigView): object => config

const migration: CommandDefinition = {
  summary: 'Configure where legacy sessions of an application are validated.',
  commands: {
    'get <app>': {
      summary: 'Print the configuration.',
      request: `GET ${migrationPath}`,
      fields: config,
    },
    'set <app> <url>': {
      summary: 'Set the URL: HTTPS, of a public host.',
      request: `PUT ${migrationPath}`,
      body: { session_validation_url: '<url>' },
      fields: config,
    },
    'delete <app>': {
      summary: 'Delete the configuration; not set is not an error.',
      request: `DELETE ${migrationPath}`,
      confirmation: {
        sentence: '<app> has no migration configuration.',
        json: { app_id: '<app>', deleted: true },
      },
    },
  },
}

export const appCommands: CommandDefinition = {
  summary: 'Register, set and retire applications, whose users have sessions.',
  example: 'vigil apps list',
  commands: {
    'register <name>': defineAppCommand('POST', '', {
      summary: 'Register an application and print it.',
      example: 'vigil apps register "Shop" --id shop001',
      options: { '--id <id>': '7 lower-case letters and digits; generated by default' },
      body: { name: '<name>', app_id: '--id' },
      lines: appLines,
    }),
    list: defineAppCommand('GET', '', {
      summary: 'List the applications in the order they were registered.',
      list: { name: 'apps', columns: appColumns, emptyListMessage: 'No applications.' },
    }),
    'get <app>': defineAppCommand('GET', '/<app>', {
      summary: 'Print an application with its settings.',
      lines: appLines,
    }),
    'set <app>': setCommand,
    'retire <app>': defineAppCommand('DELETE', '/<app>', {
      summary: 'Retire an application for good; its id is not given again.',
      confirmation: { sentence: 'Retired <app>.', json: { app_id: '<app>', retired: true } },
    }),
    keys,
    migration,
  },
}

/** The fields of one application, then its settings under their API names. */
function appLines({ settings, ...app }: AppView): readonly string[] {
  const { tokens, password, allowed_origins, password_change_revokes } = settings
  return [
    ...formatFields(app),
    '',
    ...formatFields({
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
