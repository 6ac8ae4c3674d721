/** Resolves service URL and token (flag, environment, profile), and opens the API client. */

import { usageError } from '../terminal/cliError.ts'
import { type CliContext, readText } from '../terminal/terminal.ts'
import { type Client, openClient } from './client.ts'
import { defaultProfile, type Profile, readProfiles, unknownProfileError } from './profiles.ts'

/** The flags that every command takes. */
export interface GlobalFlags {
  readonly server?: string
  readonly token?: string
  readonly profile?: string
  readonly json?: boolean
}

/** The type of token a command needs. */
export type Caller = 'account' | 'operator'

/** A token and its source, which is named when the token is refused. */
export interface Token {
  readonly text: string
  readonly from: string
  readonly caller: Caller
}

const tokenBytesMax = 8_192

/** Opens a client with the account's or the operator's token. Throws `usage` without a token or with an invalid address. */
export async function connect(
  context: CliContext,
  flags: GlobalFlags,
  caller: Caller,
): Promise<Client> {
  const { environment } = context
  const profile = profileOf(context, flags)
  const token = findToken(context, flags, { profile, caller })
  const text = flags.token === '-' ? await readToken(context, 'Token: ') : checkedToken(token.text)
  // without an address it is the service on this machine
  const local = `http://127.0.0.1:${environment.port ?? 8080}`
  const server = flags.server ?? environment.server ?? profile.server ?? local
  return openClient({ ...context, server: parseServerUrl(server), token: { ...token, text } })
}

/** Parses the address of a service. Throws `usage` unless it is an http or https URL without user, query or fragment. */
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
  return checkedToken(given.trim())
}

function checkedToken(token: string): string {
  if (/^[\x21-\x7e]{1,4096}$/.test(token)) return token
  throw usageError('A token is one word of visible ASCII characters.')
}

function profileOf({ environment }: CliContext, flags: GlobalFlags): Profile {
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
