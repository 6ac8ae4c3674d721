/** What every benchmark is: a few figures measured side by side in one go. */

import type { Figure } from './figure.ts'

interface Setting {
  /** The short run: fewer and shorter rounds, smaller counts. */
  readonly quick: boolean
}

export type Benchmark = (setting: Setting) => Promise<readonly Figure[]>
