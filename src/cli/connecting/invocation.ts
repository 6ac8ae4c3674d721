/** Opens what a command runs with: values, flags, output, and the API client with its token. */

import { usageError } from '../terminal/cliError.ts'
import { formatWarnings, type Warning } from '../terminal/errorText.ts'
import { openScreen, type Paint, printableJson, type Screen } from '../terminal/screen.ts'
import { type CliContext, readText } from '../terminal/terminal.ts'
import { type Client, openClient } from './client.ts'
import type { ReadParameter } from './commandDefinition.ts'
import { defaultProfile, type Profile, readProfiles, unknownProfileError } from './profiles.ts'

export interface GlobalFlags {
  readonly server?: string
  readonly token?: string
  readonly profile?: string
  readonly json?: boolean
}

/** The type of token a command needs. */
export type Caller = 'account' | 'operator'

interface Run {
  readonly given: ReadParameter
  readonly flags: GlobalFlags
  readonly caller: Caller | undefined
}

export interface Invocation extends Omit<Run, 'caller'> {
  readonly context: CliContext
  readonly paint: Paint
  /** What tables are fitted to. */
  readonly screen: Screen
  /** Calls the API; the first call connects, see `connect`. */
  readonly client: Client
  /** Prints the value as JSON with `--json`, else these lines. */
  readonly print: (value: unknown, lines: () => readonly string[]) => void
  /** Prints warnings on stderr; not with `--json`, where the answer contains them. */
  readonly warn: (warnings: readonly Warning[]) => void
}

/** Opens an invocation with these values and flags, for the account or the operator. */
export function openInvocation(context: CliContext, { given, flags, caller }: Run): Invocation {
  const { stdout, stderr, environment } = context
  const screen = openScreen(stdout, environment, flags.json === true)
  let connected: Promise<Client> | undefined
  return {
    context,
    flags,
    given,
    paint: screen.paint,
    screen,
    client: async (...call) => {
      connected ??= connect(context, flags, caller)
      return (await connected)(...call)
    },
    print: (value, lines) => {
      const text = flags.json ? printableJson(value, 2) : lines().join('\n')
      if (text !== '') stdout.write(`${text}\n`)
    },
    warn: (warnings) => {
      if (flags.json) return
      for (const line of formatWarnings(warnings, screen.paint)) stderr.write(`vigil: ${line}\n`)
    },
  }
}

/** Encodes an id as one segment of a path. Throws `usage` for an empty text, `.` and `..`. */
export function encodePathSegment(id: string): string {
  if (id !== '' && id !== '.' && id !== '..') return encodeURIComponent(id)
  throw usageError(`"${id}" is not an id.`)
}

/** Throws `usage` when the token is also to be read from the pipe that `what` is read from. */
export function assertStdinUsedOnce({ context: { stdin }, flags }: Invocation, what: string): void {
  if (flags.token !== '-' || stdin.isTty) return
  throw usageError(`Only one of token and ${what} can come from standard input.`)
}

/** A token and its source, which is named when the token is refused. */
export interface Token {
  readonly text: string
  readonly from: string
  readonly caller: Caller
}

const tokenBytesMax = 8_192

/** Opens a client with the token of the caller. Throws `usage` without a token or with an invalid address. */
async function connect(
  context: CliContext,
  flags: GlobalFlags,
  caller: Caller = 'account',
): Promise<Client> {
  const { environment } = context
  const profile = findProfile(context, flags)
  const token = findToken(context, flags, { profile, caller })
  const text = flags.token === '-' ? await readToken(context, 'Token: ') : checkToken(token.text)
  // without an address it is the service on this machine
  const local = `http://127.0.0.1:${environment.port ?? 8080}`
  const server = flags.server ?? environment.server ?? profile.server ?? local
  return openClient({ ...context, server: parseServerUrl(server), token: { ...token, text } })
}

/** Parses a service's address. Throws `usage` unless it is an http or https URL without user, query or fragment. */
export function parseServerUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isPlain = url && url.search === '' && url.hash === '' && url.username + url.password === ''
  if (isPlain && (url.protocol === 'http:' || url.protocol === 'https:')) return url
  throw usageError('The server must be an address such as http://127.0.0.1:8080.')
}

/** Reads a token from the terminal without echo, or from piped standard input. */
export async function readToken({ stdin }: CliContext, question: string): Promise<string> {
  const given = stdin.isTty
    ? await stdin.askSecret(question)
    : await readText(stdin.pieces(), tokenBytesMax)
  return checkToken(given.trim())
}

function checkToken(token: string): string {
  if (/^[\x21-\x7e]{1,4096}$/.test(token)) return token
  throw usageError('A token is one word of visible ASCII characters.')
}

function findProfile({ environment }: CliContext, flags: GlobalFlags): Profile {
  const named = flags.profile ?? environment.profile
  if (named === undefined && flags.server !== undefined && flags.token !== undefined) return {}
  const profiles = readProfiles(environment.profilesFile)
  const name = named ?? defaultProfile
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  if (!profile && named !== undefined) throw unknownProfileError(named, profiles)
  return profile ?? {}
}

/** Where the token of a caller is kept, beside the flag. */
const tokenSources = {
  account: { variable: 'VIGIL_TOKEN', key: 'token', field: 'token', option: '--token -' },
  operator: {
    variable: 'VIGIL_OPERATOR_TOKEN',
    key: 'operatorToken',
    field: 'operator_token',
    option: '--operator-token -',
  },
} as const

function findToken(
  { environment }: CliContext,
  flags: GlobalFlags,
  { profile, caller }: { readonly profile: Profile; readonly caller: Caller },
): Token {
  if (flags.token !== undefined) return { text: flags.token, from: '--token', caller }
  const { variable, key, field, option } = tokenSources[caller]
  const [inEnvironment, inProfile] = [environment[key], profile[field]]
  if (inEnvironment !== undefined) return { text: inEnvironment, from: variable, caller }
  const name = flags.profile ?? environment.profile ?? defaultProfile
  if (inProfile !== undefined) return { text: inProfile, from: `the profile ${name}`, caller }
  const hint =
    'The first start of a service prints one for the operator and one for its demo account.'
  throw usageError(
    `There is no token: set ${variable}, or keep one with: vigil profile set ${name} ${option}`,
    { hint },
  )
}
