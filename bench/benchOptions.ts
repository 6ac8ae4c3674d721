/** What the bench is told on its command line. */

import { parseArgs } from 'node:util'
import type { Size } from './benchmark.ts'
import type { Parts } from './chosenParts.ts'

export interface BenchOptions {
  readonly size: Size
  /** Names of parts, or of `part:piece`, between commas. Absent: every part. */
  readonly only?: string | undefined
  readonly help: boolean
}

/** Throws an `Error` that says what is not understood. */
export function benchOptions(words: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...words],
    options: {
      quick: { type: 'boolean', default: false },
      smallest: { type: 'boolean', default: false },
      only: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  const { only, help, quick, smallest } = values
  return { only, help, size: smallest ? 'smallest' : quick ? 'quick' : 'full' }
}

/** What `--help` prints. */
export function benchHelp(parts: Parts): string {
  const lines = Object.entries(parts).map(([part, pieces]) =>
    [part, ...pieces.map((piece) => `  ${part}:${piece}`)].join('\n  '),
  )
  return [
    'Usage: npm run bench -- [--quick | --smallest] [--only <part>[,<part>:<piece>…]]',
    '',
    '  --quick     few rounds: for a look, its figures are not kept',
    '  --smallest  one round of next to nothing: to see that every part runs',
    '  --only      these parts alone, or single pieces of one',
    '',
    'Parts:',
    ...lines.map((line) => `  ${line}`),
    '',
  ].join('\n')
}
