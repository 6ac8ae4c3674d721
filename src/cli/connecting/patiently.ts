/** Calls that may be made again, however often the connection breaks. */

import type { CliContext } from '../terminal/cliContext.ts'
import { interruptedError, isCliError } from '../terminal/cliError.ts'
import { exitCodes } from '../terminal/exitCode.ts'

/** How long to wait before each further attempt: half a minute altogether. */
const pausesMs = [500, 1_000, 2_000, 4_000, 8_000, 16_000]

/**
 * Makes the call again while the service cannot be reached or is failing. What it does must be no harm when it is done twice. Throws what
 * the last attempt threw, what is no such trouble at once, and `interrupted`.
 */
export async function patiently<Value>(
  { pause, interrupted }: Pick<CliContext, 'pause' | 'interrupted'>,
  call: () => Promise<Value>,
): Promise<Value> {
  for (const pauseMs of pausesMs) {
    try {
      return await call()
    } catch (thrown) {
      if (!isCliError(thrown) || thrown.exitCode !== exitCodes.unreachable) throw thrown
      await pause(pauseMs)
      if (interrupted.aborted) throw interruptedError()
    }
  }
  return call()
}
