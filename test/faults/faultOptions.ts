/** What a fault run is told on its command line and in its environment. */

import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'

export interface FaultOptions {
  readonly seed: number
  /** Most rounds of faults. */
  readonly rounds: number
  /** No round is begun after so long. */
  readonly minutes: number
  readonly eventStoreUrl: string | undefined
  readonly mongoUrl: string
}

/** What `--help` prints. */
export const faultHelp = `Usage: npm run test:faults -- [--seed <n>] [--minutes <n>] [--rounds <n>]

  --seed     the faults and the load of an earlier run again (default: by chance, and printed)
  --minutes  no round is begun after so long (default 2)
  --rounds   most rounds of faults (default 1000)

MONGODB_URL names the server of read models and keys, EVENTSTORE_URL that of the log, without it a fake one; both are written to.
`

/** Throws an `Error` that says what is not understood. */
export function faultOptions(
  words: readonly string[],
  { EVENTSTORE_URL, MONGODB_URL }: NodeJS.ProcessEnv,
): FaultOptions {
  const { values } = parseArgs({
    args: [...words],
    options: {
      seed: { type: 'string', default: String(randomInt(1, 1_000_000)) },
      rounds: { type: 'string', default: '1000' },
      minutes: { type: 'string', default: '2' },
    },
  })
  if (!MONGODB_URL) throw new Error('Set MONGODB_URL to a server that may be written to.')
  return {
    seed: numberOf('--seed', values.seed, 2 ** 32 - 1),
    rounds: numberOf('--rounds', values.rounds, 100_000),
    minutes: numberOf('--minutes', values.minutes, 24 * 60),
    eventStoreUrl: EVENTSTORE_URL || undefined,
    mongoUrl: MONGODB_URL,
  }
}

function numberOf(name: string, text: string, max: number): number {
  const value = /^\d{1,10}(?:\.\d{1,3})?$/.test(text) ? Number(text) : Number.NaN
  if (value > 0 && value <= max) return value
  throw new Error(`${name} must be a number from 1 to ${max}, not ${text}.`)
}
