/** Runs one command line from its words to its exit code. */

import { CommanderError } from 'commander'
import { usageError } from './cliError.ts'
import { errorText, exitCodeOf } from './errorText.ts'
import { type ExitCode, exitCodes } from './exitCode.ts'
import { openPaint } from './paint.ts'
import { buildProgram } from './program.ts'
import type { Run } from './session.ts'
import type { World } from './world.ts'

/** Carries the command out; what goes wrong is said on stderr. `words` are what follows the program's name. Never rejects. */
export async function runCli(words: readonly string[], world: World): Promise<ExitCode> {
  const run: Run = { world, exitCode: exitCodes.done }
  const json = words.includes('--json')
  try {
    await buildProgram(run).parseAsync([...words], { from: 'user' })
    return run.exitCode
  } catch (thrown) {
    if (thrown instanceof CommanderError) return usageCode(thrown, json, world)
    const paint = openPaint(world.stderr.isTty && world.environment.colour)
    world.stderr.write(errorText(thrown, json, paint))
    return exitCodeOf(thrown)
  }
}

/** Commander has said it already, but not as JSON. Help and version that were asked for are no mistake. */
function usageCode(error: CommanderError, json: boolean, { stderr }: World): ExitCode {
  if (error.exitCode === 0) return exitCodes.done
  if (json && error.code !== 'commander.help') {
    stderr.write(
      errorText(usageError(error.message.replace(/^error: /, '')), true, openPaint(false)),
    )
  }
  return exitCodes.usage
}
