/** Adds `vigil profile`: saves, lists and removes named servers and tokens. */

import type { Command } from 'commander'
import { type ExitCode, usageError } from '../terminal/cliError.ts'
import { describe } from '../terminal/describe.ts'
import { type Column, table } from '../terminal/table.ts'
import { readToken, serverUrl } from './connection.ts'
import { type Invocation, type Run, serve } from './invocation.ts'
import {
  checkProfileName,
  defaultProfile,
  noProfile,
  type Profile,
  type Profiles,
  readProfiles,
  writeProfiles,
} from './profiles.ts'

/** Adds `profile set`, `profile list` and `profile remove`. */
export function addProfileCommands(program: Command, run: Run): void {
  const profile = describe(program, {
    usage: 'profile',
    summary: 'Keep servers and tokens under a name, in a file only you can read.',
    example: 'vigil profile set default --token -',
  })
  describe(profile, {
    usage: 'set <name>',
    summary: `Set a profile's --server, --token and --operator-token; what is left out stays as it is.`,
    example: 'vigil profile set default --server https://vigil.example.com --token -',
  })
    .option('--operator-token <token>', "the operator's token; - reads it from standard input")
    .action(serve<{ readonly operatorToken?: string }>(run, setProfile))
  describe(profile, {
    usage: 'list',
    summary: 'List the profiles; tokens are not shown.',
    example: 'vigil profile list',
  }).action(serve(run, listProfiles))
  describe(profile, {
    usage: 'remove <name>',
    summary: 'Remove a profile.',
    example: 'vigil profile remove staging',
  }).action(serve(run, removeProfile))
}

type Done = Promise<ExitCode | undefined>

async function setProfile(
  { context, flags, print }: Invocation,
  { operatorToken }: { readonly operatorToken?: string },
  name = '',
): Done {
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
    throw usageError('Say what to keep: --server, --token or --operator-token.')
  }
  const file = context.environment.profilesFile
  const profiles = readProfiles(file)
  writeProfiles(file, { ...profiles, [name]: { ...profiles[name], ...given } })
  print({ profile: name, file }, () => [`Kept ${name} in ${file}.`])
  return undefined
}

async function tokenOf(
  context: Invocation['context'],
  given: string,
  question: string,
): Promise<string> {
  return given === '-' ? readToken(context, question) : given
}

async function listProfiles({ context, print, screen }: Invocation): Done {
  const profiles = Object.entries(readProfiles(context.environment.profilesFile)).sort(
    ([a], [b]) => (a < b ? -1 : 1),
  )
  const current = context.environment.profile ?? defaultProfile
  const shown = profiles.map(([name, profile]) => ({
    name,
    server: profile.server ?? '',
    token: profile.token !== undefined,
    operator_token: profile.operator_token !== undefined,
    current: name === current,
  }))
  const columns = ['', 'NAME', 'SERVER', 'TOKEN', 'OPERATOR TOKEN'].map(
    (title): Column => (title === 'SERVER' ? { title, narrow: 'wrap' } : { title }),
  )
  const word = (kept: boolean): string => (kept ? 'kept' : '-')
  const rows = shown.map((row) => [
    row.current ? '*' : '',
    row.name,
    row.server,
    word(row.token),
    word(row.operator_token),
  ])
  print({ profiles: shown }, () =>
    rows.length === 0 ? ['No profiles.'] : table(columns, rows, screen),
  )
  return undefined
}

async function removeProfile({ context, print }: Invocation, _: object, name = ''): Done {
  const file = context.environment.profilesFile
  const { [name]: removed, ...rest }: Profiles = readProfiles(file)
  if (!removed) throw noProfile(name, rest)
  writeProfiles(file, rest)
  print({ profile: name, removed: true }, () => [`Removed ${name}.`])
  return undefined
}
