/** Reads what a command is given line by line, however long it is. */

import { TextDecoder } from 'node:util'
import type { CliContext } from './cliContext.ts'
import { usageError } from './cliError.ts'
import { openInput } from './openInput.ts'

/** Characters of a line: the service takes fewer, and says so. */
const lineMax = 64 * 1024

/** The lines of the file, or of standard input for `-`, without their ends. Throws `usage` for what is no file and for what is no text in UTF-8. */
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
