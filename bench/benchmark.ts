/** What every benchmark is: a few figures measured side by side in one go. */

import type { Figure } from './figure.ts'

interface Setting {
  /** The short run: fewer and shorter rounds, smaller counts. */
  readonly quick: boolean
  /** Only these pieces of it, for one that has several; all when absent. */
  readonly pieces?: readonly string[]
}

/** Why a benchmark did not run: something that it needs was not given. */
interface NotRun {
  readonly notRun: string
}

export type Benchmark = (setting: Setting) => Promise<readonly Figure[] | NotRun>
