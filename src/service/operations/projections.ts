/** The projections as the operator sees them, and the way back for what they have set aside. */

import { Failure } from '../../domain/failure.ts'
import { redact } from '../../log.ts'
import type { ParkedEvent } from '../../projections/running/parking.ts'
import { leftMax, type ProjectionState } from '../../projections/running/projections.ts'
import { listParkedEvents } from '../../queries/operations/parkedEvents.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'
import { lagsOf } from './lags.ts'
import type { OperationsPart, ProjectionView } from './operationsPart.ts'

/** Characters of an error that are shown. */
const errorLengthMax = 500

export function openProjections(context: ServiceContext): OperationsPart['projections'] {
  return {
    list: async () => {
      const progress = context.projections.progress()
      const position = context.projections.position()
      const lags = await lagsOf(context, progress)
      const views = progress.map((one) => viewOf(context, one, lags.get(one.position) ?? 0))
      return { value: await Promise.all(views), position }
    },
    retry: async (_, name) => {
      const known = () => context.projections.progress().filter((one) => one.name === name)
      if (known().length === 0) throw new Failure('not_found', 'There is nothing of this name.')
      const { applied, parked, left } = await context.projections.retryParked(name)
      const error = known().find((one) => one.error !== undefined)?.error
      return {
        name,
        applied,
        parked,
        parked_events: left.map(parkedView),
        ...(error !== undefined && { error: harmless(error) }),
      }
    },
  }
}

async function viewOf(
  context: ServiceContext,
  progress: ProjectionState,
  lag_seconds: number,
): Promise<ProjectionView> {
  const { name, version, position, status, parked, error } = progress
  const events = parked === 0 ? [] : await listParkedEvents(context, { name, version }, leftMax)
  return {
    name,
    version,
    position,
    lag_seconds,
    status,
    ...(error !== undefined && { error: harmless(error) }),
    parked,
    parked_events: events.map(parkedView),
  }
}

function parkedView({ error, ...event }: ParkedEvent): ParkedEvent {
  return { ...event, ...(error !== undefined && { error: harmless(error) }) }
}

/**
 * The words of an error as a line of the log may have them. Projections see personal fields sealed only; this is for what stands
 * where no personal data should, such as an address in the text of a rule.
 */
function harmless(error: string): string {
  return redact(error).slice(0, errorLengthMax)
}
