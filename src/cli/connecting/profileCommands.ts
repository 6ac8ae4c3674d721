/** Declares `vigil profile`: saves, lists and removes named servers and tokens. */

import { usageError } from '../terminal/cliError.ts'
import { type CellColumn, itemTable } from '../terminal/table.ts'
import type { CommandRow } from './commandRow.ts'
import { readToken, serverUrl } from './connection.ts'
import type { Invocation } from './invocation.ts'
import {
  checkProfileName,
  defaultProfile,
  noProfile,
  type Profile,
  type Profiles,
  readProfiles,
  writeProfiles,
} from './profiles.ts'

export const profileCommands: CommandRow = {
  usage: 'profile',
  summary: 'Save servers and tokens under a name, in a file only you can read.',
  example: 'vigil profile set default --token -',
  commands: [
    {
      usage: 'set <name>',
      summary: `Set a profile's --server, --token and --operator-token; options that are not given change nothing.`,
      example: 'vigil profile set default --server https://vigil.example.com --token -',
      options: {
        '--operator-token <token>': "the operator's token; - reads it from standard input",
      },
      run: setProfile,
    },
    {
      usage: 'list',
      summary: 'List the profiles; tokens are not shown.',
      run: listProfiles,
    },
    {
      usage: 'remove <name>',
      summary: 'Remove a profile.',
      example: 'vigil profile remove staging',
      run: removeProfile,
    },
  ],
}

async function setProfile(
  { context, flags, print }: Invocation,
  { operatorToken }: { readonly operatorToken?: string },
  name = '',
): Promise<undefined> {
  checkProfileName(name)
  if (flags.token === '-' && operatorToken === '-' && !context.stdin.isTty) {
    throw usageError('Only one of the two tokens can come from standard input.')
  }
  const given: Profile = {
    ...(flags.server !== undefined && { server: serverUrl(flags.server).href }),
    ...(flags.token !== undefined && { token: await tokenOf(context, flags.token, 'Token: ') }),
    ...(operatorToken !== undefined && {
      operator_token: await tokenOf(context, operatorToken, "Operator's token: "),
    }),
  }
  if (Object.keys(given).length === 0) {
    throw usageError('Say what to save: --server, --token or --operator-token.')
  }
  const file = context.environment.profilesFile
  const profiles = readProfiles(file)
  writeProfiles(file, { ...profiles, [name]: { ...profiles[name], ...given } })
  print({ profile: name, file }, () => [`Kept ${name} in ${file}.`])
}

async function tokenOf(
  context: Invocation['context'],
  given: string,
  question: string,
): Promise<string> {
  return given === '-' ? readToken(context, question) : given
}

interface ShownProfile {
  readonly name: string
  readonly server: string
  /** Whether it has one. */
  readonly token: boolean
  readonly operator_token: boolean
  readonly current: boolean
}

const columns: readonly CellColumn<ShownProfile>[] = [
  { title: '', cell: ({ current }) => (current ? '*' : '') },
  { title: 'NAME', cell: 'name' },
  { title: 'SERVER', cell: 'server', narrow: 'wrap' },
  { title: 'TOKEN', cell: ({ token }) => (token ? 'kept' : '-') },
  { title: 'OPERATOR TOKEN', cell: (profile) => (profile.operator_token ? 'kept' : '-') },
]

async function listProfiles({ context, print, screen }: Invocation): Promise<undefined> {
  const profiles = Object.entries(readProfiles(context.environment.profilesFile)).sort(
    ([a], [b]) => (a < b ? -1 : 1),
  )
  const current = context.environment.profile ?? defaultProfile
  const shown: readonly ShownProfile[] = profiles.map(([name, profile]) => ({
    name,
    server: profile.server ?? '',
    token: profile.token !== undefined,
    operator_token: profile.operator_token !== undefined,
    current: name === current,
  }))
  print({ profiles: shown }, () =>
    shown.length === 0 ? ['No profiles.'] : itemTable(columns, shown, screen),
  )
}

async function removeProfile(
  { context, print }: Invocation,
  _: object,
  name = '',
): Promise<undefined> {
  const file = context.environment.profilesFile
  const { [name]: removed, ...rest }: Profiles = readProfiles(file)
  if (!removed) throw noProfile(name, rest)
  writeProfiles(file, rest)
  print({ profile: name, removed: true }, () => [`Removed ${name}.`])
}
