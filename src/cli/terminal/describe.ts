/** Adds a command with what its help says. */

import type { Command } from 'commander'

interface Description {
  /** Its name and arguments: `get <id>`. */
  readonly usage: string
  readonly summary: string
  /** What one would type, without the `$`. */
  readonly example: string
  /** Whether lists of commands leave it out. */
  readonly hidden?: boolean
}

/** The new command, which inherits what is configured of its parent. */
export function describe(
  parent: Command,
  { usage, summary, example, hidden = false }: Description,
): Command {
  return parent
    .command(usage, { hidden })
    .description(summary)
    .addHelpText('after', `\nExample:\n  $ ${example.replaceAll('\n', '\n  $ ')}`)
}
