/** Declares the dependencies of queries: read models, heavy queries, log, keys and clock. */

import type { Clock } from '../../domain/clock.ts'
import type { LoadContext } from '../../domain/load/scheduler.ts'
import type { Principal } from '../../domain/principal.ts'
import type { Keyring } from '../../events/recording/sealing.ts'
import type { Projections } from '../../projections/running/projectionState.ts'
import type { EventStore } from '../../stores/eventStore.ts'
import type { ReadStore } from '../../stores/readStore.ts'
import type { Readers } from './documents.ts'

/**
 * Heavy queries of a table by their names, which read much at once: few at a time for each account, and none for longer than a caller waits.
 * Each is answered from the read models alone, in the caller's thread or another. It throws what the query throws, `rate_limited` when too
 * many of the account's wait already, and `unavailable` when too many of all do, or there is no answer in time.
 */
export type HeavyQueries<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends (
    readers: Readers,
    asked: infer Asked,
  ) => infer Answer
    ? (caller: Principal, asked: Asked) => Answer
    : never
}

/** What a query takes that asks these heavy queries: the table has them under the same names. */
export interface HeavyContext<Table> {
  readonly heavyQueries: HeavyQueries<Table>
}

/** Opened once for each process; each function names what it needs of it. */
export interface QueryContext extends LoadContext {
  readonly documents: Pick<ReadStore, 'get' | 'find'>
  readonly projections: Pick<Projections, 'active' | 'passed' | 'waitFor' | 'position'>
  readonly events: EventStore
  readonly keyring: Pick<Keyring, 'keys' | 'subject' | 'digest'>
  readonly clock: Clock
}
