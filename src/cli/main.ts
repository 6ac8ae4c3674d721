#!/usr/bin/env node

/** Starts the `vigil` process; handles Ctrl-C, a closed output and the exit code. */

import { runCli } from './program.ts'
import { readEnvironment } from './terminal/environment.ts'
import { openTerminal } from './terminal/terminal.ts'

const interruption = new AbortController()

process.on('SIGINT', () => {
  // a second one does not wait for anything
  if (interruption.signal.aborted) process.exit(130)
  interruption.abort()
})

// the reader has closed the pipe, as in `vigil tail | head`
process.stdout.on('error', () => process.exit(0))
// nobody reads messages; the work goes on and its exit code tells
process.stderr.on('error', () => undefined)

process.exitCode = await runCli(process.argv.slice(2), {
  ...openTerminal(interruption.signal),
  environment: readEnvironment(),
})
