/** Declares stream types (fold, memory estimate, snapshot form); folds events into streams. */

import type { DecodedEvent, DomainEvent } from '../../events/recording/event.ts'
import { type RememberedCommands, rememberCommand } from './rememberedCommands.ts'

export interface StreamType<State, Event extends DomainEvent> {
  readonly initial: () => State
  /** The state after one more event, of this revision; may fold in place. */
  readonly evolve: (state: State, event: Event, revision: number) => State
  /** Tells the state when the event was recorded that was folded last; absent where no state depends on it. */
  readonly date?: (state: State, timeMs: number) => void
  /**
   * So many last events make the state that all make, once the first page of the stream was folded; absent where all
   * are needed. Of sessions alone: one that is refreshed as often as it may be has 1.5 million events, and few sessions
   * are in memory.
   */
  readonly lastNeeded?: number
  /** About how many bytes of memory the state takes. */
  readonly estimateBytes: (state: State) => number
  /**
   * How long streams are saved as they were folded; absent where none is long. Of rulebooks alone: the first use of one
   * at its limits takes 2.8 s of processor time from its events, and 1.4 s from its snapshot.
   */
  readonly snapshot?: SnapshotForm<State>
}

/** A state in chunks, each small enough to be written and read at once, without personal data. */
export interface SnapshotForm<State> {
  /** Changed whenever the fold or the saved form changes. */
  readonly shape: string
  readonly parts: (state: State) => Iterable<unknown>
  /** Gives a part, in their order, to a state that has only the parts before it; folds in place. */
  readonly add: (state: State, part: unknown) => void
}

/** A stream folded up to its revision. */
export interface FoldedStream<State> {
  state: State
  /** Of the last event folded; -1 when there is none. */
  revision: number
  /** Of the last event folded; 0 when there is none. */
  position: number
  /** Position of the log up to which nothing of the stream is missing here. */
  caughtUpPosition: number
  /**
   * False when an append of unknown outcome, or an event that was not understood, may be missing: it is to be read on
   * before use.
   */
  isTrusted: boolean
  /** The commands given with an `Idempotency-Key` that are already in the stream. */
  readonly commands: RememberedCommands
  /** Revision up to which a snapshot has it; -1 when there is none. */
  savedRevision: number
  /** UUID of the command of the last event folded. */
  lastCommand: string | undefined
}

/** A stream of which nothing has been folded. */
export function createFoldedStream<State, Event extends DomainEvent>(
  streamType: StreamType<State, Event>,
): FoldedStream<State> {
  return {
    state: streamType.initial(),
    revision: -1,
    position: 0,
    caughtUpPosition: 0,
    isTrusted: true,
    commands: new Map(),
    savedRevision: -1,
    lastCommand: undefined,
  }
}

/** Folds events that follow the folded revision, leaving out those folded already. Throws on a hole. */
export function foldEvents<State, Event extends DomainEvent>(
  folded: FoldedStream<State>,
  events: readonly DecodedEvent<Event>[],
  { evolve, date }: StreamType<State, Event>,
): void {
  for (const decoded of events) {
    const { event, metadata, stream, revision, position } = decoded
    if (revision <= folded.revision) continue
    if (revision > folded.revision + 1) {
      throw new Error(`stream ${stream} has a hole before revision ${revision}`)
    }
    folded.state = evolve(folded.state, event, revision)
    date?.(folded.state, metadata.time)
    folded.revision = revision
    folded.position = position
    // whatever came to the stream before this event has been folded
    folded.caughtUpPosition = Math.max(folded.caughtUpPosition, position)
    rememberCommand(folded.commands, decoded, folded.lastCommand)
    folded.lastCommand = metadata.command
  }
}
