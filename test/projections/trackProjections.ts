import {
  initialStates,
  type ProjectionRun,
  type ProjectionState,
  type Projections,
} from '../../src/projections/running/projectionState.ts'
import type { RunnerOptions } from '../../src/projections/running/runner.ts'
import { runAlone } from '../../src/projections/running/shareProjections.ts'
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

/** Runs the projections alone. */
export function runTracked(options: Options): Projections {
  const ignore = () => undefined
  return runAlone({ onAlarm: ignore, onProgress: ignore, onLeaseStatus: ignore, ...options })
}
