/** Declares the dependencies of queries: read models, heavy queries, log, keys and clock. */

import type { Principal } from '../../domain/principal.ts'
import type { Readers } from '../../projections/running/documents.ts'
import type { StateContext } from '../../state/folding/stateContext.ts'

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

/** What queries are given; each function names what it needs of it. */
export interface QueryContext extends StateContext {
  readonly heavyQueries: HeavyQueryQueue
}
