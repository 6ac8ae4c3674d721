/** Resolves the API path of the application or user that a command names. */

import type { Command } from 'commander'
import type { Client } from '../connecting/client.ts'
import { type Invocation, segment } from '../connecting/invocation.ts'

export interface OfAccount {
  readonly account?: string
}

/** Adds `--account`. */
export function withAccount(command: Command): Command {
  return command.option('--account <account>', 'do it for this account (operator)')
}

/** The client and path of the list of applications. */
export async function appsOf(
  invocation: Invocation,
  { account }: OfAccount,
): Promise<{ readonly client: Client; readonly path: string }> {
  if (account === undefined) return { client: await invocation.client(), path: '/v2/session/apps' }
  const client = await invocation.client('operator')
  return { client, path: `/v2/operator/accounts/${segment(account)}/apps` }
}

interface UserPath {
  readonly client: Client
  readonly path: string
  /** As it was named. */
  readonly user: string
}

/** The client and path of the user of these two arguments, application and user. */
export async function userOf(
  invocation: Invocation,
  options: OfAccount,
  [app = '', user = '']: readonly string[],
): Promise<UserPath> {
  const { client, path } = await appsOf(invocation, options)
  return { client, path: `${path}/${segment(app)}/users/${segment(user)}`, user }
}
