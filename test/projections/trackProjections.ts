import {
  initialStates,
  type ProjectionRun,
  type ProjectionState,
  type Projections,
} from '../../src/projections/running/projectionState.ts'
import { type RunnerOptions, startRunner } from '../../src/projections/running/runner.ts'
import { trackProgress } from '../../src/projections/running/trackProgress.ts'

/** What `start` runs or watches, with its progress. */
export function tracked(
  projections: RunnerOptions['projections'],
  start: (onProgress: (states: readonly ProjectionState[]) => void) => ProjectionRun,
): Projections {
  const progress = trackProgress(initialStates(projections), () => run.shortenDelay())
  const run = start(progress.update)
  return { ...progress, ...run, close: () => run.close().finally(progress.close) }
}

type Options = Omit<RunnerOptions, 'onAlarm' | 'onProgress'> &
  Partial<Pick<RunnerOptions, 'onAlarm' | 'onProgress'>>

/** Runs the projections alone, without a lease. */
export function runTracked({ onAlarm = () => undefined, ...options }: Options): Projections {
  return tracked(options.projections, (update) =>
    startRunner({
      ...options,
      onAlarm,
      onProgress: (states) => {
        update(states)
        options.onProgress?.(states)
      },
    }),
  )
}
