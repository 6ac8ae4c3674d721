/** What the operator reads in the log about who runs the projections, and what goes wrong in them. */

import type { Logger } from '../../log.ts'
import { type Holding, notHeld } from '../../projections/running/projectionLease.ts'
import type { StartProjectionsOptions } from './startProjections.ts'

/** What to tell the log. Each change is a line. */
export function tellProjections(
  logger: Pick<Logger, 'info' | 'error'>,
): Pick<StartProjectionsOptions, 'onAlarm' | 'onHolding'> {
  let last: Holding = notHeld
  return {
    onAlarm: ({ kind, projection, message }) => logger.error({ kind, projection }, message),
    onHolding: (now) => {
      const before = last
      last = now
      if (now.held) logger.info({ fence: now.fence }, 'This instance runs the projections.')
      else if (before.held) logger.info('This instance does not run the projections any more.')
      else if (!now.heard) logger.error(notRun)
      else if (!before.heard) logger.info('Another instance runs the projections again.')
    },
  }
}

const notRun =
  'No instance runs the projections: what is read is as old as when the last one stopped. Start one with VIGIL_ROLE=projector or all.'
