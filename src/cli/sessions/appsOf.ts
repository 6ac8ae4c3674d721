/** Whose applications a command is about: the token's account's, or, as the operator, another's. */

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

/** The way to the applications, and the path of their list. */
export async function appsOf(
  invocation: Invocation,
  { account }: OfAccount,
): Promise<{ readonly client: Client; readonly path: string }> {
  if (account === undefined) return { client: await invocation.client(), path: '/v2/session/apps' }
  const client = await invocation.client('operator')
  return { client, path: `/v2/operator/accounts/${segment(account)}/apps` }
}
