/** Reads a command's input from a file, a pipe or standard input. */

import { constants, createReadStream, openSync, statSync } from 'node:fs'
import { Socket } from 'node:net'
import { addAbortSignal } from 'node:stream'
import { TextDecoder } from 'node:util'
import { parse } from 'yaml'
import { interruptedError, usageError } from './cliError.ts'
import type { CliContext } from './terminal.ts'

/** Characters of a line; the service has a lower limit and an error of its own. */
const lineMax = 64 * 1024

const bytesMax = 1024 * 1024

/** Reads the object in a YAML or JSON file; `-` is standard input. Throws `usage` for anything else. */
export async function readInputFile(context: CliContext, file: string): Promise<object> {
  const value = parsed(await textOf(context, file), file)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw usageError(`${file} must contain one object, as YAML or JSON.`)
}

function parsed(text: string, file: string): unknown {
  try {
    return parse(text, { maxAliasCount: 0 })
  } catch (thrown) {
    throw usageError(`${file}: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
  }
}

/** The text of the file or of standard input. */
async function textOf(context: CliContext, file: string): Promise<string> {
  if (file === '-') return context.stdin.readAll(bytesMax)
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of openInput(context, file)) {
    bytes += piece.byteLength
    if (bytes > bytesMax) throw usageError(`${file} is larger than ${bytesMax} bytes.`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

/**
 * Reads a file or pipe in pieces; Ctrl-C ends the wait for a pipe without a writer. Throws `usage` for anything else, and the system's
 * error for a file that cannot be read.
 */
async function* openInput(
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

/** Opens a pipe as a socket: a file stream would wait for the writer in a thread that cannot be interrupted. */
function pipe(file: string): Socket {
  const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  return new Socket({ fd, readable: true, writable: false })
}

/** Reads the lines of a file, or of standard input for `-`. Throws `usage` for a missing file and for text that is not UTF-8. */
export async function* inputLines(
  context: Pick<CliContext, 'stdin' | 'interrupted'>,
  file: string,
): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let rest = ''
  const pieces = file === '-' ? context.stdin.pieces() : openInput(context, file)
  for await (const piece of pieces) {
    const lines = (rest + decoded(file, () => decoder.decode(piece, { stream: true }))).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > lineMax)
      throw usageError(`${file} has a line of more than ${lineMax} characters.`)
    yield* lines.map(withoutReturn)
  }
  rest += decoded(file, () => decoder.decode())
  if (rest !== '') yield withoutReturn(rest)
}

function decoded(file: string, decode: () => string): string {
  try {
    return decode()
  } catch (thrown) {
    if (thrown instanceof TypeError) throw usageError(`${file} must be text in UTF-8.`)
    throw thrown
  }
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line
}
