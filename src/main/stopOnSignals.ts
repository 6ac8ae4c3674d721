/** Stops the process on SIGTERM, SIGINT or a failed thread; ends at once on a second signal. */

import type { Log } from '../log.ts'
import { exitWithError } from './startMessages.ts'

/** Time limit for requests in progress to end once the service stops. */
export const stopTimeoutMs = 20_000

interface Stoppable {
  readonly log: Log
  /** Takes no more requests and closes everything but the log; false when requests had to be aborted. */
  readonly stop: () => Promise<boolean>
}

/** Stops in order on the first of these signals, and ends at once on the second. */
export function stopOnSignals(signals: readonly NodeJS.Signals[], { log, stop }: Stoppable): void {
  let isStopping = false
  for (const signal of signals) {
    process.on(signal, () => {
      if (isStopping) process.exit(1)
      isStopping = true
      log.logger.info({ signal }, 'Stopping.')
      stopInOrder({ log, stop }).then((finished) => process.exit(finished ? 0 : 1), exitWithError)
    })
  }
}

/** Ends the process as failed, once the log is written. */
export const makeExitHandler = (log: Log) => (): void =>
  void log.close().then(() => process.exit(1))

async function stopInOrder({ log, stop }: Stoppable): Promise<boolean> {
  const finished = await stop()
  log.logger.info({ finished }, 'Stopped.')
  await log.close()
  return finished
}
