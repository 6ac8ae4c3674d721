/**
 * Measures, prints and keeps the figures, part by part: `npm run bench`, in a hurry with `-- --quick`, a part with `--
 * --only engine`, a piece with `-- --only neighbours:changes`.
 */

import { aging } from './aging.ts'
import { analysis } from './analysis.ts'
import { appends } from './appends.ts'
import { auditing } from './auditing.ts'
import type { Benchmark } from './benchmark.ts'
import { benchHelp, benchOptions } from './benchOptions.ts'
import { chosenParts, isKept } from './chosenParts.ts'
import { connections } from './connections.ts'
import { consolePages } from './consolePages.ts'
import { counterCosts } from './counters.ts'
import { dispatches } from './dispatches.ts'
import { engine } from './engine.ts'
import { evalEndpoint } from './evalEndpoint.ts'
import { eventStoreDb } from './eventStoreDb.ts'
import { feedbackBatches } from './feedbackBatches.ts'
import { firstUse } from './firstUse.ts'
import { idle } from './idle.ts'
import { openResults } from './keepResults.ts'
import { largeAccount } from './largeAccount.ts'
import { listSessions } from './listSessions.ts'
import { lists } from './lists.ts'
import { removeLogs } from './logs.ts'
import { describeMachine } from './machine.ts'
import { memory } from './memory.ts'
import { attacks } from './neighbours/attacks.ts'
import { neighbours } from './neighbours.ts'
import { postgres } from './postgres.ts'
import { refreshes } from './refreshes.ts'
import { replay } from './replay.ts'
import { replayAll } from './replayAll.ts'
import { restart } from './restart.ts'
import { steps } from './steps.ts'
import { textTable } from './table.ts'

const benchmarks: Readonly<Record<string, Benchmark>> = {
  engine,
  steps,
  evalEndpoint,
  postgres,
  eventStoreDb,
  aging,
  largeAccount,
  feedbackBatches,
  listSessions,
  refreshes,
  dispatches,
  lists,
  counters: counterCosts,
  appends,
  replay,
  replayAll,
  auditing,
  analysis,
  console: consolePages,
  memory,
  idle,
  restart,
  firstUse,
  connections,
  neighbours,
}
const pieces: Readonly<Record<string, readonly string[]>> = { neighbours: Object.keys(attacks) }

const options = understood(() => benchOptions(process.argv.slice(2)))
const parts = Object.keys(benchmarks)
const partsWithPieces = Object.fromEntries(parts.map((part) => [part, pieces[part] ?? []]))
if (options.help) {
  say(benchHelp(partsWithPieces))
  process.exit(0)
}
const chosen = understood(() => chosenParts(options.only, partsWithPieces))
const keep = isKept(options) ? openResults({ machine: describeMachine(), parts }) : undefined
const notRun: string[] = []
try {
  for (const [name, benchmark] of Object.entries(benchmarks)) {
    const choice = chosen.find(({ part }) => part === name)
    if (!choice) continue
    const begunMs = performance.now()
    const measured = await benchmark({ size: options.size, ...choice })
    if ('notRun' in measured) {
      notRun.push(`NOT MEASURED: ${name}: ${measured.notRun}`)
      continue
    }
    say(`${name}, ${((performance.now() - begunMs) / 1000).toFixed(1)} s\n${textTable(measured)}\n`)
    keep?.(name, measured)
  }
} finally {
  removeLogs()
}
// where nobody overlooks it: behind everything else
for (const sentence of notRun) say(sentence)

/** Ends the process with the sentence of what was not understood. */
function understood<Read>(read: () => Read): Read {
  try {
    return read()
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
    process.exit(2)
  }
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
