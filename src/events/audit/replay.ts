/** Declares the events of replays of all evaluations (streams `replays-{account}`), and folds them. */

import { type Definitions, plain } from '../recording/definition.ts'
import type { DomainEvent } from '../recording/event.ts'
import { integerFrom, list, object, oneOf, time, word } from '../recording/schema.ts'

export const replayOutcomes = ['DONE', 'CANCELLED', 'INTERRUPTED', 'FAILED'] as const

/** Which evaluations are replayed: those at positions behind `after`, up to `end`. */
export interface ReplayRange {
  readonly after: number
  readonly end: number
  readonly flow_id?: string
  /** Milliseconds since the Unix epoch; the first included, the second excluded. */
  readonly from_ms?: number
  readonly to_ms?: number
}

export interface ReplayCounts {
  readonly match: number
  readonly mismatch: number
  readonly evidence_erased: number
}

/** An evaluation that is not what its record says, or cannot be computed again. */
export interface ReplayMismatch {
  readonly evaluation_id: string
  /** Of its event in the log. */
  readonly position: number
  /** What differs, or why it cannot be computed again. */
  readonly reason: string
}

interface Started extends ReplayRange {
  readonly replay_id: string
  readonly at: number
}

/** How far a replay has come; the counts are those from its start. */
interface Advanced extends ReplayCounts {
  readonly replay_id: string
  readonly at: number
  /** Everything up to here has been replayed. */
  readonly position: number
  /** Those found since it was reported last. */
  readonly mismatches: readonly ReplayMismatch[]
}

interface Ended {
  readonly replay_id: string
  readonly at: number
  readonly outcome: (typeof replayOutcomes)[number]
}

export type ReplayEvent =
  | DomainEvent<'ReplayStarted', Started>
  | DomainEvent<'ReplayAdvanced', Advanced>
  | DomainEvent<'ReplayEnded', Ended>

/** A replay; times are milliseconds since the Unix epoch. */
export interface ReplayState extends ReplayRange, ReplayCounts {
  readonly replay_id: string
  readonly started_at: number
  /** When it was last heard of. */
  readonly reported_at: number
  readonly position: number
  /** The first of them, in the order of the log. */
  readonly mismatches: readonly ReplayMismatch[]
  /** Undefined while it runs. */
  readonly outcome?: Ended['outcome']
}

/** Mismatches that a replay names. */
export const mismatchesMax = 100

/** Replays of an account that stay known. */
const replaysMax = 20

export const replayStream = (account: string): string => `replays-${account}`

/** The replays of an account, the newest first, after one more event. */
export function evolveReplays(
  before: readonly ReplayState[],
  { type, data }: ReplayEvent,
): readonly ReplayState[] {
  const change = (one: (replay: ReplayState) => ReplayState) =>
    before.map((replay) => (replay.replay_id === data.replay_id ? one(replay) : replay))
  switch (type) {
    case 'ReplayStarted':
      return [startedOf(data), ...before].slice(0, replaysMax)
    case 'ReplayAdvanced': {
      const { at, mismatches, ...counts } = data
      return change((replay) => ({
        ...replay,
        ...counts,
        reported_at: at,
        mismatches: [...replay.mismatches, ...mismatches].slice(0, mismatchesMax),
      }))
    }
    case 'ReplayEnded':
      return change((replay) => ({ ...replay, reported_at: data.at, outcome: data.outcome }))
  }
}

function startedOf({ at, ...started }: Started): ReplayState {
  const none = { match: 0, mismatch: 0, evidence_erased: 0, mismatches: [] }
  return { ...started, ...none, started_at: at, reported_at: at, position: started.after }
}

const position = integerFrom(0)
const replay = { replay_id: word, at: time }

export const replayEvents: Definitions<ReplayEvent> = {
  ReplayStarted: plain(
    object(
      { ...replay, after: position, end: position },
      { flow_id: word, from_ms: time, to_ms: time },
    ),
  ),
  ReplayAdvanced: plain(
    object({
      ...replay,
      position,
      match: integerFrom(0),
      mismatch: integerFrom(0),
      evidence_erased: integerFrom(0),
      mismatches: list(object({ evaluation_id: word, position, reason: word })),
    }),
  ),
  ReplayEnded: plain(object({ ...replay, outcome: oneOf(replayOutcomes) })),
}
