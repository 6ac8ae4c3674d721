/** What the bench is told on its command line. */

import { parseArgs } from 'node:util'
import type { Parts } from './chosenParts.ts'

export interface BenchOptions {
  readonly quick: boolean
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
      only: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  return values
}

/** What `--help` prints. */
export function benchHelp(parts: Parts): string {
  const lines = Object.entries(parts).map(([part, pieces]) =>
    [part, ...pieces.map((piece) => `  ${part}:${piece}`)].join('\n  '),
  )
  return [
    'Usage: npm run bench -- [--quick] [--only <part>[,<part>:<piece>…]]',
    '',
    '  --quick  few rounds: for a look, its figures are not kept',
    '  --only   these parts alone, or single pieces of one',
    '',
    'Parts:',
    ...lines.map((line) => `  ${line}`),
    '',
  ].join('\n')
}
