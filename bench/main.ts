/** Measures, prints and keeps the figures, part by part: `npm run bench`, with `-- --quick` in under two minutes, `-- --only engine` for a part. */

import { parseArgs } from 'node:util'
import { appends } from './appends.ts'
import type { Benchmark } from './benchmark.ts'
import { chosenParts, isKept } from './chosenParts.ts'
import { engine } from './engine.ts'
import { evalEndpoint } from './evalEndpoint.ts'
import { openResults } from './keepResults.ts'
import { largeAccount } from './largeAccount.ts'
import { removeLogs } from './logs.ts'
import { describeMachine } from './machine.ts'
import { memory } from './memory.ts'
import { replay } from './replay.ts'
import { restart } from './restart.ts'
import { textTable } from './table.ts'

const benchmarks: Readonly<Record<string, Benchmark>> = {
  engine,
  evalEndpoint,
  largeAccount,
  appends,
  replay,
  memory,
  restart,
}

const { values: options } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, only: { type: 'string' } },
})
const parts = Object.keys(benchmarks)
const chosen = chosenParts(options.only, parts)
const keep = isKept(options)
  ? openResults({ quick: options.quick, machine: describeMachine(), parts })
  : undefined
try {
  for (const [name, benchmark] of Object.entries(benchmarks)) {
    if (!chosen.includes(name)) continue
    const begunMs = performance.now()
    const measured = await benchmark({ quick: options.quick })
    say(`${name}, ${((performance.now() - begunMs) / 1000).toFixed(1)} s\n${textTable(measured)}\n`)
    keep?.(name, measured)
  }
} finally {
  removeLogs()
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
