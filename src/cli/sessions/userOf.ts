/** Finds the way to a user that a command names. */

import type { Client } from '../connecting/client.ts'
import { type Invocation, segment } from '../connecting/invocation.ts'
import { appsOf, type OfAccount } from './appsOf.ts'

interface UserWay {
  readonly client: Client
  readonly path: string
  /** As it was named. */
  readonly user: string
}

/** The way to the user of these two arguments, application and user, and the path. */
export async function userOf(
  invocation: Invocation,
  options: OfAccount,
  [app = '', user = '']: readonly string[],
): Promise<UserWay> {
  const { client, path } = await appsOf(invocation, options)
  return { client, path: `${path}/${segment(app)}/users/${segment(user)}`, user }
}
