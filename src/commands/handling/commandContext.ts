/** Declares the dependencies of commands: event store, keyring, queues, clock and randomness. */

import type { Random } from '../../domain/clock.ts'
import type { DomainEvent, EventContext } from '../../events/recording/event.ts'
import type { Keyring } from '../../events/recording/sealing.ts'
import type { StateContext } from '../../state/folding/stateContext.ts'
import type { StreamQueue } from '../../state/folding/streamQueue.ts'
import type { NewEvent } from '../../stores/eventStore.ts'
import type { PooledKeyring } from '../../stores/keys/keyring.ts'

/** Opened once for each process; each function names what it needs of it. */
export interface CommandContext extends StateContext {
  readonly keyring: Keyring & Pick<PooledKeyring, 'destroy' | 'take' | 'hasSpare'>
  readonly encode: (events: readonly DomainEvent[], context: EventContext) => readonly NewEvent[]
  readonly streamQueue: StreamQueue
  /** Work that no answer waits for; what it rejects with is told to the operator. */
  readonly background: { readonly run: (work: () => Promise<void>) => void }
  readonly random: Random
}

export type AppendContext = Pick<CommandContext, 'events' | 'streamQueue' | 'encode'>

/** What a whole command takes, from its call to its answer. */
export type WriteContext = AppendContext &
  Pick<CommandContext, 'keyring' | 'projections' | 'clock' | 'random' | 'scheduler'>

/** What erasing a subject takes. */
export type ErasureContext = WriteContext & Pick<CommandContext, 'documents'>
