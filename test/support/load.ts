/** A scheduler of long work for tests that open a part of the service. */

import { type LoadContext, openScheduler } from '../../src/domain/load/scheduler.ts'

export const load: LoadContext = { scheduler: openScheduler() }
