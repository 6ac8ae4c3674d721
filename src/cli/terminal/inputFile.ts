/** Reads what a command is given in a file, or through standard input. */

import { readFileSync, statSync } from 'node:fs'
import { parse } from 'yaml'
import type { CliContext } from './cliContext.ts'
import { usageError } from './cliError.ts'

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
async function textOf({ stdin }: CliContext, file: string): Promise<string> {
  if (file === '-') return stdin.readAll(bytesMax)
  const stats = statSync(file, { throwIfNoEntry: false })
  if (!stats?.isFile()) throw usageError(`There is no file ${file}.`)
  if (stats.size > bytesMax) throw usageError(`${file} is larger than ${bytesMax} bytes.`)
  return readFileSync(file, 'utf8')
}
