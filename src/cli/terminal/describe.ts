/** Adds a command with what its help says. */

import type { Command } from 'commander'

interface Description {
  /** Its name and arguments: `get <id>`. */
  readonly usage: string
  readonly summary: string
  /** What one would type, without the `$`. */
  readonly example: string
}

/** The new command, which inherits what is configured of its parent. */
export function describe(parent: Command, { usage, summary, example }: Description): Command {
  return parent
    .command(usage)
    .description(summary)
    .addHelpText('after', `\nExample:\n  $ ${example.replaceAll('\n', '\n  $ ')}`)
}
