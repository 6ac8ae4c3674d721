/** Whether a personal value was erased with its subject. */

import type { Forgotten } from './sealing.ts'

/** Of an opened event. */
export function isForgotten(value: unknown): value is Forgotten {
  return typeof value === 'object' && value !== null && 'forgotten' in value
}
