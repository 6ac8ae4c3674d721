/** Declares the stream of an account's counter warm-ups, and the scan that they take. */

import type { CounterSeries } from '../../engine/language/counters.ts'
import {
  type CounterWarmed,
  type CounterWarmUpEvent,
  evolveWarmUps,
  type WarmUpState,
} from '../../events/evaluation/counterWarmUp.ts'
import type { FoldedStreamCache } from '../folding/foldedStreamCache.ts'
import type { StreamType } from '../folding/streamType.ts'
import type { TalliedEvaluation } from './listTallies.ts'

export const warmUpStreamType: StreamType<WarmUpState, CounterWarmUpEvent> = {
  initial: () => ({ last: undefined, runs: new Map() }),
  evolve: evolveWarmUps,
  estimateBytes: ({ last, runs }) => 100 * ((last?.entries.length ?? 0) + runs.size),
}

export interface WarmUpStreams {
  readonly warmUps: FoldedStreamCache<WarmUpState, CounterWarmUpEvent>
}

/** The next evaluations of an account, the newest first, up to a position of the log. */
interface TallySliceRequest {
  readonly account: string
  readonly series: readonly CounterSeries[]
  readonly fromMs: number
  readonly toMs: number
  readonly end: number
  readonly after?: CounterWarmed['after']
}

interface TallySliceResult {
  readonly evaluations: readonly TalliedEvaluation[]
  /** Everything later has been looked at. */
  readonly reachedMs: number
  /** Where the next slice begins; absent at the end. */
  readonly after?: CounterWarmed['after']
}

export type TallySlicer = (
  asked: TallySliceRequest,
  signal: AbortSignal,
) => Promise<TallySliceResult>
