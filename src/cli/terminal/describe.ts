/** Adds a command with what its help says. */

import type { Command } from 'commander'

interface Description {
  /** Its name and arguments: `pull <folder>`. */
  readonly usage: string
  /** Arguments that want a word of explanation, behind those of `usage`: `<rule>` and what it is. */
  readonly takes?: Readonly<Record<string, string>>
  readonly summary: string
  /** What one would type, without the `$`. */
  readonly example: string
  /** Whether lists of commands leave it out. */
  readonly hidden?: boolean
}

/** The new command, which inherits what is configured of its parent. */
export function describe(
  parent: Command,
  { usage, takes = {}, summary, example, hidden = false }: Description,
): Command {
  const command = parent.command(usage, { hidden })
  for (const [argument, meaning] of Object.entries(takes)) command.argument(argument, meaning)
  return command
    .description(summary)
    .addHelpText('after', `\nExample:\n  $ ${example.replaceAll('\n', '\n  $ ')}`)
}
