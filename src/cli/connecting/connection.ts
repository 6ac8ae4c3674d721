/** Finds out which service to speak to and with which token: flag before environment before profile. */

import type { CliContext } from '../terminal/cliContext.ts'
import { usageError } from '../terminal/cliError.ts'
import { type Client, openClient } from './client.ts'
import { defaultProfile, type Profile, readProfiles } from './profiles.ts'

/** The flags that every command takes. */
export interface GlobalFlags {
  readonly server?: string
  readonly token?: string
  readonly profile?: string
  readonly json?: boolean
}

/** Whose token a command needs. */
export type Caller = 'account' | 'operator'

const localServer = 'http://127.0.0.1:8080'
const tokenBytesMax = 8_192

/** A client for the account's commands, or the operator's. Throws `usage` when no token is to be found or the address is none. */
export async function connect(
  context: CliContext,
  flags: GlobalFlags,
  caller: Caller,
): Promise<Client> {
  const { environment } = context
  const profile = profileOf(context, flags)
  const server = flags.server ?? environment.server ?? profile.server ?? localServer
  const token = flags.token === undefined ? keptToken(context, profile, caller) : flags.token
  return openClient({
    ...context,
    server: serverUrl(server),
    token: token === '-' ? await readToken(context, 'Token: ') : checkedToken(token),
  })
}

/** The address of a service. Throws `usage` unless it is an http or https address without user, query or fragment. */
export function serverUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isPlain = url && url.search === '' && url.hash === '' && url.username + url.password === ''
  if (isPlain && (url.protocol === 'http:' || url.protocol === 'https:')) return url
  throw usageError('The server must be an address such as http://127.0.0.1:8080.')
}

/** A token from the terminal, where it is not shown, or from what is piped in. */
export async function readToken({ stdin }: CliContext, question: string): Promise<string> {
  const given = stdin.isTty ? await stdin.askSecret(question) : await stdin.readAll(tokenBytesMax)
  return checkedToken(given.trim())
}

function checkedToken(token: string): string {
  if (/^[\x21-\x7e]{1,4096}$/.test(token)) return token
  throw usageError('A token is one word of visible ASCII characters.')
}

function profileOf({ environment }: CliContext, flags: GlobalFlags): Profile {
  const named = flags.profile ?? environment.profile
  const isComplete = flags.server !== undefined && flags.token !== undefined
  if (named === undefined && isComplete) return {}
  const profiles = readProfiles(environment.profilesFile)
  const profile = Object.hasOwn(profiles, named ?? defaultProfile)
    ? profiles[named ?? defaultProfile]
    : undefined
  if (profile) return profile
  if (named === undefined) return {}
  throw usageError(`There is no profile ${named}; see: vigil profile list`)
}

function keptToken({ environment }: CliContext, profile: Profile, caller: Caller): string {
  const [variable, inEnvironment, inProfile, option] =
    caller === 'operator'
      ? ([
          'VIGIL_OPERATOR_TOKEN',
          environment.operatorToken,
          profile.operator_token,
          '--operator-token -',
        ] as const)
      : (['VIGIL_TOKEN', environment.token, profile.token, '--token -'] as const)
  const token = inEnvironment ?? inProfile
  if (token !== undefined) return token
  throw usageError(
    `There is no token: set ${variable}, or keep one with: vigil profile set ${defaultProfile} ${option}`,
  )
}
