/** Opens what a command is given as a file: a file, or a pipe of the shell such as `<(…)`. */

import { constants, createReadStream, openSync, statSync } from 'node:fs'
import { Socket } from 'node:net'
import { addAbortSignal } from 'node:stream'
import type { CliContext } from './cliContext.ts'
import { interruptedError, usageError } from './cliError.ts'

/**
 * What is in it, as it comes; Ctrl-C ends the wait for a pipe into which nobody writes. Throws `usage` for what
 * is neither, and what the system says of a file that it does not let one read.
 */
export async function* openInput(
  { interrupted }: Pick<CliContext, 'interrupted'>,
  file: string,
): AsyncGenerator<Uint8Array> {
  const stream = open(file)
  try {
    for await (const piece of addAbortSignal(interrupted, stream)) yield piece as Buffer
  } catch (thrown) {
    throw interrupted.aborted ? interruptedError() : thrown
  }
}

function open(file: string) {
  const found = statSync(file, { throwIfNoEntry: false })
  if (!found) throw usageError(`There is no file ${file}.`)
  if (found.isDirectory()) throw usageError(`${file} is a folder, not a file.`)
  if (found.isFIFO()) return pipe(file)
  if (!found.isFile()) throw usageError(`${file} is neither a file nor a pipe.`)
  return createReadStream(file)
}

/** Not as a stream of a file: that would wait for who writes in a thread that nothing can interrupt. */
function pipe(file: string): Socket {
  const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  return new Socket({ fd, readable: true, writable: false })
}
