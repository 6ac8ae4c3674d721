/** Declares the dependencies of queries: read models, heavy queries, log, keys and clock. */

import type { Principal } from '../../domain/principal.ts'
import type { Readers } from '../../projections/running/documents.ts'
import type { StateContext } from '../../state/folding/stateContext.ts'

/**
 * Heavy queries of a table by their names, which read much at once: few at a time for each account, and none for longer
 * than a caller waits. Each is answered from the read models alone, in the caller's thread or another. It throws what
 * the query throws, `rate_limited` when too many of the account's wait already, and `unavailable` when too many of all
 * do, or there is no answer in time.
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

/** What queries are given; each function names what it needs of it. */
export type QueryContext = StateContext
