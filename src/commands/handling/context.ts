/** Declares what commands need of the process: stores, command queues, clock and randomness. */

import type { Chance, Clock } from '../../domain/clock.ts'
import type { DomainEvent, EventContext } from '../../events/recording/event.ts'
import type { Keyring } from '../../events/recording/sealing.ts'
import type { EventStore, NewEvent } from '../../stores/eventStore.ts'
import type { OpenKeyring } from '../../stores/keys/keyring.ts'
import type { SubjectData } from './eraseSubject.ts'
import type { OneByOne } from './oneByOne.ts'

/** Opened once for each process; each function names what it needs of it. */
export interface Context {
  readonly events: EventStore
  readonly keyring: Keyring & Pick<OpenKeyring, 'destroy' | 'take' | 'hasSpare'>
  readonly encode: (events: readonly DomainEvent[], context: EventContext) => readonly NewEvent[]
  readonly oneByOne: OneByOne
  /** Work that no answer waits for; what it rejects with is told to the operator. */
  readonly background: { readonly run: (work: () => Promise<void>) => void }
  readonly projections: {
    /** Whether every projection has passed the position, at the latest after so many milliseconds. */
    readonly waitFor: (position: number, timeoutMs: number) => Promise<boolean>
  }
  /** What the read models know of a subject, by its digest: answered by the queries. */
  readonly findSubjectData: (digest: string) => Promise<SubjectData>
  readonly clock: Clock
  readonly chance: Chance
}

/** What appending the events of a command takes. */
export type Appending = Pick<Context, 'events' | 'oneByOne' | 'encode'>

/** What a whole command takes, from its call to its answer. */
export type Writing = Appending & Pick<Context, 'keyring' | 'projections' | 'clock' | 'chance'>

/** What erasing a subject takes. */
export type Erasing = Writing & Pick<Context, 'findSubjectData'>
