/** Measures, prints and keeps the figures: `npm run bench`, with `-- --quick` in under two minutes, `-- --only engine` for a part. */

import { parseArgs } from 'node:util'
import { appends } from './appends.ts'
import type { Benchmark } from './benchmark.ts'
import { engine } from './engine.ts'
import { evalEndpoint } from './evalEndpoint.ts'
import type { Figure } from './figure.ts'
import { keepResults } from './keepResults.ts'
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
const chosen = options.only?.split(',') ?? Object.keys(benchmarks)
const figures: Figure[] = []
for (const name of chosen) {
  const benchmark = benchmarks[name]
  if (!benchmark)
    throw new Error(
      `there is no benchmark ${name}; there are ${Object.keys(benchmarks).join(', ')}`,
    )
  const begunMs = performance.now()
  const measured = await benchmark({ quick: options.quick })
  say(`${name}, ${((performance.now() - begunMs) / 1000).toFixed(1)} s\n${textTable(measured)}\n`)
  figures.push(...measured)
}
removeLogs()
if (options.only === undefined)
  keepResults(figures, { quick: options.quick, machine: describeMachine() })

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
