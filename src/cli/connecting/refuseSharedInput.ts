/** Refuses to read both the token and the data of a command from standard input. */

import { usageError } from '../terminal/cliError.ts'
import type { Invocation } from './invocation.ts'

/** Throws `usage` when the token is to come from what is piped in, too, out of which `what` is read. */
export function refuseSharedInput(
  { context: { stdin }, flags }: Pick<Invocation, 'context' | 'flags'>,
  what: string,
): void {
  if (flags.token !== '-' || stdin.isTty) return
  throw usageError(`Only one of token and ${what} can come from standard input.`)
}
