/** Declares the dependencies of commands: event store, keyring, queues, clock and randomness. */

import type { Clock, Random } from '../../domain/clock.ts'
import type { LoadContext } from '../../domain/load/scheduler.ts'
import type { DomainEvent, EventContext } from '../../events/recording/event.ts'
import type { Keyring } from '../../events/recording/sealing.ts'
import type { EventStore, NewEvent } from '../../stores/eventStore.ts'
import type { PooledKeyring } from '../../stores/keys/keyring.ts'
import type { SubjectData } from './eraseSubject.ts'
import type { StreamQueue } from './streamQueue.ts'

/** Opened once for each process; each function names what it needs of it. */
export interface CommandContext extends LoadContext {
  readonly events: EventStore
  readonly keyring: Keyring & Pick<PooledKeyring, 'destroy' | 'take' | 'hasSpare'>
  readonly encode: (events: readonly DomainEvent[], context: EventContext) => readonly NewEvent[]
  readonly streamQueue: StreamQueue
  /** Work that no answer waits for; what it rejects with is told to the operator. */
  readonly background: { readonly run: (work: () => Promise<void>) => void }
  readonly projections: {
    /** Whether every projection has passed the position, at the latest after so many milliseconds. */
    readonly waitFor: (position: number, timeoutMs: number) => Promise<boolean>
  }
  /** What the read models know of a subject, by its digest: answered by the queries. */
  readonly findSubjectData: (digest: string) => Promise<SubjectData>
  readonly clock: Clock
  readonly random: Random
}

/** What appending the events of a command takes. */
export type AppendContext = Pick<CommandContext, 'events' | 'streamQueue' | 'encode'>

/** What a whole command takes, from its call to its answer. */
export type WriteContext = AppendContext &
  Pick<CommandContext, 'keyring' | 'projections' | 'clock' | 'random' | 'scheduler'>

/** What erasing a subject takes. */
export type ErasureContext = WriteContext & Pick<CommandContext, 'findSubjectData'>
