/** Declares `vigil users` and `vigil sessions`: manages users, their passwords and sessions. */

import type { StartedSession } from '../../commands/sessions/startSession.ts'
import type { SessionView, UserView } from '../../state/sessions/views.ts'
import type { CommandDefinition } from '../connecting/commandDefinition.ts'
import { assertStdinUsedOnce, type Invocation } from '../connecting/invocation.ts'
import { usageError } from '../terminal/cliError.ts'
import { collectPairList, integerParser, type Pair } from '../terminal/optionValues.ts'
import { formatPersonal } from '../terminal/screen.ts'
import type { ItemColumns } from '../terminal/table.ts'
import { readText } from '../terminal/terminal.ts'
import { defineAppCommand } from './appCommands.ts'

/** More than the longest password that the service accepts. */
const passwordBytesMax = 16_384

const user = '/<app>/users/<user>'
const sample = 'shop001 usr_01kakq8v6mfgxbnsb9ksm0zn3q'

const userColumns: ItemColumns<UserView> = {
  ID: 'id',
  CREATED: 'created_at',
  IDENTIFIERS: identifiersOf,
}
const sessionColumns: ItemColumns<SessionView> = {
  ID: 'id',
  'LAST SEEN': 'last_seen_at',
  EXPIRES: 'expires_at',
  DEVICE: ({ device_type, device_model, os_version }) =>
    [device_type, device_model, os_version].map(formatPersonal).join(' ').trim(),
  COUNTRY: 'country_code',
}

export const userCommands: CommandDefinition = {
  summary: 'Create, find and delete the users of an application.',
  example: 'vigil users list shop001',
  commands: {
    'create <app>': defineAppCommand('POST', '/<app>/users', {
      summary: 'Create a user with these identifiers and print it.',
      example:
        'vigil users create shop001 --id email_address=ann@example.com --id customer_user_id=42',
      options: {
        '--id <type=value>': {
          description: 'an identifier; may be repeated',
          parse: collectPairList,
        },
      },
      body: {
        identifiers: (given) =>
          given<readonly Pair[]>('--id')?.map(([type, value]) => ({ type, value })),
      },
      emptyBodyError: 'Say what the user is known by: --id type=value.',
      fields: userFields,
    }),
    'list <app>': defineAppCommand('GET', '/<app>/users', {
      summary: 'List the users in the order they were created.',
      list: { name: 'users', columns: userColumns },
    }),
    'find <app> <type> <value>': defineAppCommand('GET', '/<app>/users', {
      summary: 'Find the user with an identifier.',
      query: { type: '<type>', value: '<value>' },
      list: { name: 'users', columns: userColumns, isPaged: false },
    }),
    'get <app> <user>': defineAppCommand('GET', user, {
      summary: 'Print a user.',
      fields: userFields,
    }),
    'delete <app> <user>': defineAppCommand('DELETE', user, {
      summary:
        'Delete a user for good: sessions end, and the password, identifiers and devices are erased. Evaluations, feedback and lists keep their number and address: see vigil subjects erase.',
      confirmation: { sentence: 'Deleted <user>.', json: { id: '<user>', deleted: true } },
    }),
    password: {
      summary: 'Set passwords of users.',
      commands: {
        'set <app> <user>': defineAppCommand('PUT', `${user}/password`, {
          summary:
            'Set the password of a user: asked for, or read from standard input, never an argument.',
          example: `vigil users password set ${sample} <password.txt`,
          input: async (invocation) => ({ password: await readPassword(invocation) }),
          confirmation: {
            sentence: 'Set the password of <user>.',
            json: { id: '<user>', password_set: true },
          },
        }),
      },
    },
    'grant <app> <user> <scope>': defineAppCommand('POST', `${user}/scopes`, {
      summary: 'Grant a user a scope that can be used once, within minutes.',
      options: {
        '--session <session>': 'in this session only',
        '--seconds <number>': {
          description: 'how long it can be used: 30 to 900',
          parse: integerParser(30, 900),
        },
      },
      body: { scope: '<scope>', session_id: '--session', seconds: '--seconds' },
    }),
  },
}

export const sessionCommands: CommandDefinition = {
  summary: 'Start, list and end the sessions of a user.',
  example: `vigil sessions list ${sample}`,
  commands: {
    'start <app> <user>': defineAppCommand('POST', `${user}/sessions`, {
      summary: 'Start a session and print its tokens, which are not shown again.',
      example: `vigil sessions start ${sample} --device-type IOS`,
      options: {
        '--device-type <type>': 'such as IOS',
        '--device-model <model>': 'such as "iPhone 15"',
        '--os-version <version>': 'such as 17.1',
        '--country <code>': 'two letters',
        '--scope <scope...>': 'scopes that it can use once, within five minutes',
      },
      body: {
        device_type: '--device-type',
        device_model: '--device-model',
        os_version: '--os-version',
        country_code: '--country',
        scopes: '--scope',
      },
      fields: ({ session, ...tokens }: StartedSession) => ({ id: session.id, ...tokens }),
    }),
    'list <app> <user>': defineAppCommand('GET', `${user}/sessions`, {
      summary: 'List the active sessions, most recently seen first.',
      list: { name: 'sessions', columns: sessionColumns },
    }),
    'revoke <app> <user> [session]': defineAppCommand('DELETE', `${user}/sessions/<session>`, {
      summary: 'End a session, or all with --all.',
      example: `vigil sessions revoke ${sample} --all`,
      options: { '--all': 'every session of the user' },
      check: ({ given }) => {
        if ((given('<session>') === undefined) !== (given('--all') !== undefined)) {
          throw usageError('Name a session, or say --all.')
        }
      },
      confirmation: {
        sentence: (given) => `Ended ${given('<session>') ?? `all sessions of ${given('<user>')}`}.`,
        json: { id: '<session>', user_id: '<user>', revoked: true },
      },
    }),
  },
}

/** The fields of a user, its identifiers in one. */
function userFields(user: UserView): object {
  return { ...user, identifiers: identifiersOf(user) || 'none' }
}

function identifiersOf({ identifiers }: UserView): string {
  return identifiers.map(({ type, value }) => `${type}=${formatPersonal(value)}`).join(' ')
}

/** Reads the password without its line end. Throws `usage` for an empty one, and for one that is not UTF-8. */
async function readPassword(invocation: Invocation): Promise<string> {
  assertStdinUsedOnce(invocation, 'password')
  const { stdin } = invocation.context
  const given = stdin.isTty
    ? await typedPassword(stdin)
    : (await readText(stdin.pieces(), passwordBytesMax)).replace(/\r?\n$/, '')
  if (given === '') throw usageError('There is no password: type it, or pipe it in.')
  // decoding replaces invalid bytes by this character
  if (given.includes('\ufffd')) throw usageError('A password must be text in UTF-8.')
  return given
}

/** Asks twice, since the input is not shown. */
async function typedPassword(stdin: Invocation['context']['stdin']): Promise<string> {
  const password = await stdin.askSecret('Password: ')
  const again = await stdin.askSecret('The same again: ')
  if (password !== again) throw usageError('The two passwords are not the same.')
  return password
}
