/** Refuses to read both the token and the data of a command from standard input. */

import { usageError } from '../terminal/cliError.ts'
import type { Invocation } from './invocation.ts'

/** Throws `usage` when the token is also to be read from the pipe that `what` is read from. */
export function refuseSharedInput(
  { context: { stdin }, flags }: Pick<Invocation, 'context' | 'flags'>,
  what: string,
): void {
  if (flags.token !== '-' || stdin.isTty) return
  throw usageError(`Only one of token and ${what} can come from standard input.`)
}
