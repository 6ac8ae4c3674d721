/** Reads what a command is given in a file or a pipe, or through standard input. */

import { parse } from 'yaml'
import type { CliContext } from './cliContext.ts'
import { usageError } from './cliError.ts'
import { openInput } from './openInput.ts'

const bytesMax = 1024 * 1024

/** The object in the YAML or JSON file; `-` is standard input. Throws `usage` when it holds none. */
export async function readInputFile(context: CliContext, file: string): Promise<object> {
  const value = parsed(await textOf(context, file), file)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw usageError(`${file} must hold one object, as YAML or JSON.`)
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
