/** Declares what reading the current state takes: log, read models, keys and clock. */

import type { Clock } from '../../domain/clock.ts'
import type { LoadContext } from '../../domain/load/scheduler.ts'
import type { Keyring } from '../../events/recording/sealing.ts'
import type { Projections } from '../../projections/running/projectionState.ts'
import type { EventStore } from '../../stores/eventStore.ts'
import type { ReadStore } from '../../stores/readStore.ts'

/** Opened once for each process; each function names what it needs of it. */
export interface StateContext extends LoadContext {
  readonly events: EventStore
  readonly documents: Pick<ReadStore, 'get' | 'find' | 'load' | 'checkpoints'>
  readonly projections: Pick<Projections, 'active' | 'passed' | 'waitFor' | 'position' | 'progress'>
  readonly keyring: Pick<Keyring, 'keys' | 'subject' | 'digest'>
  readonly clock: Clock
}
