/**
 * Fault runs: the built service under continuous load, while its processes are killed and stopped and its connections
 * cut, frozen and slowed down. `MONGODB_URL=… npm run test:faults -- --seed 7 --minutes 2`; it and EVENTSTORE_URL name
 * servers, which are written to.
 */

import { type FaultOptions, faultHelp, faultOptions } from './faultOptions.ts'
import { run } from './run.ts'

/** More of the same says nothing new. */
const problemsShown = 20

if (/^(?:-h|--help)$/.test(process.argv[2] ?? '')) say(faultHelp)
else await main()

async function main(): Promise<void> {
  const options = understood()
  const { problems, summary } = await run(options, say)
  say(summary)
  for (const problem of problems.slice(0, problemsShown)) say(`BROKEN: ${problem}`)
  say(
    problems.length === 0
      ? `Everything held. (seed ${options.seed})`
      : `${problems.length} things do not hold. To see it again: npm run test:faults -- --seed ${options.seed}`,
  )
  process.exit(problems.length === 0 ? 0 : 1)
}

/** Ends the process with the sentence of what was not understood. */
function understood(): FaultOptions {
  try {
    return faultOptions(process.argv.slice(2), process.env)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
    process.exit(2)
  }
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
