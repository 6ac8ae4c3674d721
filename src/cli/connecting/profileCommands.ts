/** Declares `vigil profile`: saves, lists and removes named servers and tokens. */

import { usageError } from '../terminal/cliError.ts'
import { formatItemTable, type ItemColumns } from '../terminal/table.ts'
import type { CommandDefinition } from './commandDefinition.ts'
import { type Invocation, parseServerUrl, readToken } from './invocation.ts'
import {
  checkProfileName,
  defaultProfile,
  type Profile,
  type Profiles,
  readProfiles,
  unknownProfileError,
  writeProfiles,
} from './profiles.ts'

export const profileCommands: CommandDefinition = {
  summary: 'Save servers and tokens under a name, in a file only you can read.',
  example: 'vigil profile set default --token -',
  commands: {
    'set <name>': {
      summary: `Set a profile's --server, --token and --operator-token; options that are not given change nothing.`,
      example: 'vigil profile set default --server https://vigil.example.com --token -',
      options: {
        '--operator-token <token>': "the operator's token; - reads it from standard input",
      },
      run: setProfile,
    },
    list: { summary: 'List the profiles; tokens are not shown.', run: listProfiles },
    'remove <name>': {
      summary: 'Remove a profile.',
      example: 'vigil profile remove staging',
      run: removeProfile,
    },
  },
}

async function setProfile({ context, flags, given, print }: Invocation): Promise<undefined> {
  const { server, token } = flags
  const [name = '', operatorToken] = [given('<name>'), given('--operator-token')]
  checkProfileName(name)
  if (token === '-' && operatorToken === '-' && !context.stdin.isTty) {
    throw usageError('Only one of the two tokens can come from standard input.')
  }
  const tokenOf = (text: string, question: string) =>
    text === '-' ? readToken(context, question) : text
  const profile: Profile = {
    ...(server !== undefined && { server: parseServerUrl(server).href }),
    ...(token !== undefined && { token: await tokenOf(token, 'Token: ') }),
    ...(operatorToken !== undefined && {
      operator_token: await tokenOf(operatorToken, "Operator's token: "),
    }),
  }
  if (Object.keys(profile).length === 0) {
    throw usageError('Say what to save: --server, --token or --operator-token.')
  }
  const file = context.environment.profilesFile
  const profiles = readProfiles(file)
  writeProfiles(file, { ...profiles, [name]: { ...profiles[name], ...profile } })
  print({ profile: name, file }, () => [`Kept ${name} in ${file}.`])
}

const columns: ItemColumns<Profile & { readonly name: string; readonly current: boolean }> = {
  '': ({ current }) => (current ? '*' : ''),
  NAME: 'name',
  SERVER: { cell: 'server', narrow: 'wrap' },
  TOKEN: ({ token }) => (token ? 'kept' : '-'),
  'OPERATOR TOKEN': (profile) => (profile.operator_token ? 'kept' : '-'),
}

async function listProfiles({ context, print, screen }: Invocation): Promise<undefined> {
  const current = context.environment.profile ?? defaultProfile
  const profiles = Object.entries(readProfiles(context.environment.profilesFile))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { server = '', token, operator_token }]) => ({
      name,
      server,
      token: token !== undefined,
      operator_token: operator_token !== undefined,
      current: name === current,
    }))
  print({ profiles }, () =>
    profiles.length === 0 ? ['No profiles.'] : formatItemTable(columns, profiles, screen),
  )
}

async function removeProfile({ context, given, print }: Invocation): Promise<undefined> {
  const name = given('<name>') ?? ''
  const file = context.environment.profilesFile
  const { [name]: removed, ...rest }: Profiles = readProfiles(file)
  if (!removed) throw unknownProfileError(name, rest)
  writeProfiles(file, rest)
  print({ profile: name, removed: true }, () => [`Removed ${name}.`])
}
