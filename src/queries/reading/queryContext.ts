/** Declares the dependencies of queries: read models, heavy queries, log, keys and clock. */

import type { Clock } from '../../domain/clock.ts'
import type { LoadContext } from '../../domain/load/scheduler.ts'
import type { Principal } from '../../domain/principal.ts'
import type { Keyring } from '../../events/recording/sealing.ts'
import type { Projections } from '../../projections/running/projectionState.ts'
import type { EventStore } from '../../stores/eventStore.ts'
import type { ReadStore } from '../../stores/readStore.ts'
import type { Readers } from './documents.ts'

/** Answered from the read models alone, in the caller's thread or another: what is asked and answered is plain data. */
export type HeavyQuery<Asked, Answer> = (readers: Readers, asked: Asked) => Promise<Answer>

/** Heavy queries, which read much at once: few at a time for each account, and none for longer than a caller waits. */
export interface HeavyQueryQueue {
  /**
   * The answer to the caller's question, in turn with those of others. Throws what the question throws, `rate_limited` when too many
   * of the account's wait already, and `unavailable` when too many of all do, or there is no answer in time.
   */
  readonly run: <Asked extends object, Answer>(
    caller: Principal,
    question: HeavyQuery<Asked, Answer>,
    asked: Asked,
  ) => Promise<Answer>
}

/** Opened once for each process; each function names what it needs of it. */
export interface QueryContext extends LoadContext {
  readonly documents: Pick<ReadStore, 'get' | 'find'>
  readonly projections: Pick<Projections, 'active' | 'passed' | 'waitFor' | 'position'>
  readonly heavyQueries: HeavyQueryQueue
  readonly events: EventStore
  readonly keyring: Pick<Keyring, 'keys' | 'subject' | 'digest'>
  readonly clock: Clock
}
