/** The parts of timestamps and durations. */

import { durationTotals, timestampParts } from '../values/time.ts'
import { type Operation, operation } from './operation.ts'

export const times: readonly Operation[] = [
  ...Object.entries(timestampParts).map(([name, part]) =>
    operation(`${name}(timestamp): int`, part),
  ),
  ...Object.entries(durationTotals).map(([name, total]) =>
    operation(`${name}(duration): int`, total),
  ),
]
