/** Runs one command line: parses it, prints errors and returns the exit code. */

import { CommanderError } from 'commander'
import type { Run } from './connecting/invocation.ts'
import { buildProgram } from './program.ts'
import type { CliContext } from './terminal/cliContext.ts'
import { type ExitCode, exitCodes, usageError } from './terminal/cliError.ts'
import { errorText, exitCodeOf } from './terminal/errorText.ts'
import { openPaint } from './terminal/screen.ts'

/** Runs the command and prints errors on stderr. `words` are the arguments after the program's name. Never rejects. */
export async function runCli(words: readonly string[], context: CliContext): Promise<ExitCode> {
  const run: Run = { context, exitCode: exitCodes.done }
  const json = words.includes('--json')
  try {
    await buildProgram(run).parseAsync([...words], { from: 'user' })
    return run.exitCode
  } catch (thrown) {
    if (thrown instanceof CommanderError) return usageCode(thrown, json, context)
    const paint = openPaint(context.stderr.isTty && context.environment.colour)
    context.stderr.write(errorText(thrown, json, paint))
    return exitCodeOf(thrown)
  }
}

/** Commander has already printed the error, but not as JSON. Requested help and version are not errors. */
function usageCode(error: CommanderError, json: boolean, { stderr }: CliContext): ExitCode {
  if (error.exitCode === 0) return exitCodes.done
  if (json && error.code !== 'commander.help') {
    stderr.write(
      errorText(usageError(error.message.replace(/^error: /, '')), true, openPaint(false)),
    )
  }
  return exitCodes.usage
}
