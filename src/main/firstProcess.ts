/** Whether the first process goes on, as a worker hears it: nothing but its silence can be seen of one that stands still. */

import type { ProcessLine } from '../domain/processLine.ts'
import type { Logger } from '../log.ts'
import type { Lender } from '../service/opening/joinStores.ts'

/** How often is looked whether anything was heard; the first process tells at least so often how the log is. */
const lookMs = 1_000
/** Looks without anything heard that are silence: more than a busy machine keeps the first process from its turn. */
const silentLooks = 6

/**
 * Watches the first process over its line until that ends, and says in the log when it falls silent and when it is heard again. Looks are
 * counted, not the time: while this process stands still it hears nothing, and that is not the other's silence.
 */
export function watchFirst(line: ProcessLine, logger: Pick<Logger, 'error' | 'info'>): Lender {
  let received = line.received()
  let missed = 0
  const look = (): void => {
    const now = line.received()
    const isHeard = now !== received
    received = now
    if (isHeard && missed >= silentLooks) logger.info('The first process is heard again.')
    missed = isHeard ? 0 : missed + 1
    if (missed === silentLooks) logger.error(silence)
  }
  const timer = setInterval(look, lookMs)
  void line.ended.then(() => clearInterval(timer))
  return { line, isSilent: () => missed >= silentLooks }
}

const silence =
  'The first process has said nothing for some seconds: it hangs or was stopped. Nothing can be written until it goes on.'
