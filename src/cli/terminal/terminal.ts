/** Opens a command's process context (streams, clock, Ctrl-C), and reads text from streams. */

import { isUtf8 } from 'node:buffer'
import { fstatSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { addAbortSignal, type Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { createOutputError, interruptedError, usageError } from './cliError.ts'
import type { Environment } from './environment.ts'

export interface Output {
  /** Text, or bytes where the output is a file. */
  readonly write: (piece: string | Uint8Array) => void
  readonly isTty: boolean
  /** How wide the terminal is at the moment; undefined for what is none. */
  readonly columns: number | undefined
}

interface Input {
  readonly isTty: boolean
  /** What comes in, as it comes. */
  readonly pieces: () => AsyncIterable<Uint8Array>
  /** Asks on the terminal. */
  readonly ask: (question: string) => Promise<string>
  /** The same without showing what is typed. */
  readonly askSecret: (question: string) => Promise<string>
}

export interface CliContext {
  readonly environment: Environment
  readonly stdin: Input
  readonly stdout: Output
  readonly stderr: Output
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: () => number
  /** Aborted by Ctrl-C. */
  readonly interrupted: AbortSignal
  /** Resolves after so long, or at once when interrupted. */
  readonly pause: (ms: number) => Promise<void>
}

/** Opens everything but the environment. */
export function openTerminal(interrupted: AbortSignal): Omit<CliContext, 'environment'> {
  return {
    stdin: {
      isTty: process.stdin.isTTY === true,
      pieces: () => readPieces(process.stdin, interrupted),
      ask: (question) => ask(question, process.stderr, interrupted),
      askSecret: (question) => askSecret(question, interrupted),
    },
    stdout: { ...openOutput(process.stdout), write: writeStdout },
    stderr: openOutput(process.stderr),
    nowMs: Date.now,
    interrupted,
    pause: async (ms) => {
      // interrupted is no error here: the caller looks
      await sleep(ms, undefined, { signal: interrupted }).catch(() => undefined)
    },
  }
}

function openOutput(stream: NodeJS.WriteStream): Output {
  return {
    write: (piece) => {
      stream.write(piece)
    },
    isTty: stream.isTTY === true,
    // a terminal is made wider and narrower
    get columns() {
      return stream.isTTY ? stream.columns : undefined
    },
  }
}

/** Throws the error to end with. In a file the stream would drop what no longer fits of a text, and say nothing. */
function writeStdout(piece: string | Uint8Array): void {
  const { stdout } = process
  try {
    if (!stdout.isTTY && fstatSync(stdout.fd).isFile()) writeFileSync(stdout.fd, piece)
    else stdout.write(piece)
  } catch (thrown) {
    throw createOutputError(thrown)
  }
}

/** The pieces of a stream as they come; Ctrl-C ends the wait for the next with an error. */
export async function* readPieces(
  stream: Readable,
  interrupted: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of addAbortSignal(interrupted, stream)) yield piece as Buffer
  } catch (thrown) {
    throw interrupted.aborted ? interruptedError() : thrown
  }
}

/**
 * The text of all pieces, without a byte order mark in front. Throws `usage` beyond so many bytes, and unless it is
 * UTF-8. `name` is what they are pieces of.
 */
export async function readText(
  pieces: AsyncIterable<Uint8Array>,
  bytesMax: number,
  name = 'Standard input',
): Promise<string> {
  const bytes = await readBytes(pieces, bytesMax, `${name} is larger than ${bytesMax} bytes.`)
  // decoded all the same, it would record names that nobody has written
  if (!isUtf8(bytes)) throw usageError(`${name} must be text in UTF-8.`)
  return withoutMark(bytes.toString('utf8'))
}

/** The text without a byte order mark at its start, which is no part of it. */
export function withoutMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text
}

/** All pieces. Throws `usage` with the message `tooLong` beyond so many bytes. */
export async function readBytes(
  pieces: AsyncIterable<Uint8Array>,
  bytesMax: number,
  tooLong: string,
): Promise<Buffer> {
  const read: Uint8Array[] = []
  let bytes = 0
  for await (const piece of pieces) {
    bytes += piece.byteLength
    if (bytes > bytesMax) throw usageError(tooLong)
    read.push(piece)
  }
  return Buffer.concat(read)
}

async function askSecret(question: string, interrupted: AbortSignal): Promise<string> {
  process.stderr.write(question)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  try {
    return await ask('', silent, interrupted)
  } finally {
    process.stderr.write('\n')
  }
}

async function ask(question: string, output: Writable, interrupted: AbortSignal): Promise<string> {
  const lines = createInterface({ input: process.stdin, output, terminal: true })
  // the terminal does not turn Ctrl-C into a signal while a line is edited here
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  try {
    return await lines.question(question, { signal: interrupted })
  } catch (thrown) {
    throw interrupted.aborted ? interruptedError() : thrown
  } finally {
    lines.close()
  }
}
