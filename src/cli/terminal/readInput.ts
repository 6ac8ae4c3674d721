/** Reads a YAML or JSON object, or lines, from a file, a pipe or standard input. */

import { constants, createReadStream, openSync, statSync } from 'node:fs'
import { Socket } from 'node:net'
import { TextDecoder } from 'node:util'
import { parse } from 'yaml'
import type { JsonObject } from '../connecting/client.ts'
import { usageError } from './cliError.ts'
import { type CliContext, readPieces, readText } from './terminal.ts'

/** Characters of a line; the service has a lower limit and an error of its own. */
const lineMax = 64 * 1024

const bytesMax = 1024 * 1024

/** Reads the object in a YAML or JSON file; `-` is standard input. Throws `usage` for anything else. */
export async function readInputObject(context: CliContext, file: string): Promise<JsonObject> {
  const text =
    file === '-'
      ? await readText(context.stdin.pieces(), bytesMax)
      : await readText(openInput(context, file), bytesMax, file)
  const value = parseYaml(text, file)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  throw usageError(`${file} must contain one object, as YAML or JSON.`)
}

function parseYaml(text: string, file: string): unknown {
  try {
    return parse(text, { maxAliasCount: 0 })
  } catch (thrown) {
    throw usageError(`${file}: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
  }
}

/**
 * Opens a file or pipe; Ctrl-C ends the wait for a pipe without a writer. Throws `usage` for anything else, and the
 * system's error for a file that cannot be read.
 */
function openInput({ interrupted }: Pick<CliContext, 'interrupted'>, file: string) {
  const found = statSync(file, { throwIfNoEntry: false })
  if (!found) throw usageError(`There is no file ${file}.`)
  if (found.isDirectory()) throw usageError(`${file} is a folder, not a file.`)
  if (!found.isFile() && !found.isFIFO()) throw usageError(`${file} is neither a file nor a pipe.`)
  return readPieces(found.isFIFO() ? openPipe(file) : createReadStream(file), interrupted)
}

/** Opens a pipe as a socket: a file stream would wait for the writer in a thread that cannot be interrupted. */
function openPipe(file: string): Socket {
  const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  return new Socket({ fd, readable: true, writable: false })
}

/**
 * Reads the lines of a file, or of standard input for `-`. Throws `usage` without a file, for invalid UTF-8, and for a
 * line that is too long, unless it is to be cut: then it is longer than the service takes any.
 */
export async function* readInputLines(
  context: Pick<CliContext, 'stdin' | 'interrupted'>,
  file: string,
  { cutsLines = false }: { readonly cutsLines?: boolean } = {},
): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let rest = ''
  const pieces = file === '-' ? context.stdin.pieces() : openInput(context, file)
  for await (const piece of pieces) {
    const lines = (
      rest + decodeOrRefuse(file, () => decoder.decode(piece, { stream: true }))
    ).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > lineMax && !cutsLines)
      throw usageError(`${file} has a line of more than ${lineMax} characters.`)
    rest = rest.slice(0, lineMax + 1)
    yield* lines.map(withoutReturn)
  }
  rest += decodeOrRefuse(file, () => decoder.decode())
  if (rest !== '') yield withoutReturn(rest)
}

function decodeOrRefuse(file: string, decode: () => string): string {
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
