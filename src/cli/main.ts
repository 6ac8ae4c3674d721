#!/usr/bin/env node

/** Starts the `vigil` process; handles Ctrl-C, a closed output and the exit code. */

import { runCli } from './program.ts'
import { createOutputError, exitCodes } from './terminal/cliError.ts'
import { readEnvironment } from './terminal/environment.ts'
import { formatError } from './terminal/errorText.ts'
import { openPaint } from './terminal/screen.ts'
import { openTerminal } from './terminal/terminal.ts'

const interruption = new AbortController()

process.on('SIGINT', () => {
  // a second one does not wait for anything
  if (interruption.signal.aborted) process.exit(130)
  interruption.abort()
})

process.stdout.on('error', (error) => {
  // the reader has closed the pipe, as in `vigil tail | head`
  if ('code' in error && error.code === 'EPIPE') process.exit(exitCodes.done)
  const json = process.argv.includes('--json')
  process.stderr.write(formatError(createOutputError(error), json, openPaint(false)))
  process.exit(exitCodes.outputFailed)
})
// nobody reads messages; the work goes on and its exit code tells
process.stderr.on('error', () => undefined)

process.exitCode = await runCli(process.argv.slice(2), {
  ...openTerminal(interruption.signal),
  environment: readEnvironment(),
})
