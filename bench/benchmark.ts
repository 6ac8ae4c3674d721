/** What every benchmark is: a few figures measured side by side in one go. */

import type { Figure } from './figure.ts'

/**
 * How much is measured: `quick` has fewer and shorter rounds and smaller counts; `smallest` shows that a part runs, and
 * its figures say nothing.
 */
export type Size = 'full' | 'quick' | 'smallest'

interface Setting {
  readonly size: Size
  /** Only these pieces of it, for one that has several; all when absent. */
  readonly pieces?: readonly string[]
}

/** Why a benchmark did not run: something that it needs was not given. */
interface NotRun {
  readonly notRun: string
}

export type Benchmark = (setting: Setting) => Promise<readonly Figure[] | NotRun>
