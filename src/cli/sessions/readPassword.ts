/** The password that a user is given: typed where it is not shown, or piped in; an argument could be read by others of the machine. */

import type { Invocation } from '../connecting/invocation.ts'
import { refuseSharedInput } from '../connecting/refuseSharedInput.ts'
import { usageError } from '../terminal/cliError.ts'

/** No password that the service takes is longer. */
const bytesMax = 16_384

/** The password, without the end of its line and with every other character of it. Throws `usage` for none and for what is no text. */
export async function readPassword(
  invocation: Pick<Invocation, 'context' | 'flags'>,
): Promise<string> {
  refuseSharedInput(invocation, 'password')
  const { stdin } = invocation.context
  const given = stdin.isTty ? await typed(stdin) : withoutLineEnd(await stdin.readAll(bytesMax))
  if (given === '') throw usageError('There is no password: type it, or pipe it in.')
  // what bytes are read as that are no text
  if (given.includes('\ufffd')) throw usageError('A password must be text in UTF-8.')
  return given
}

/** Typed twice, since nobody sees what is typed. */
async function typed(stdin: Invocation['context']['stdin']): Promise<string> {
  const password = await stdin.askSecret('Password: ')
  const again = await stdin.askSecret('The same again: ')
  if (password !== again) throw usageError('The two passwords are not the same.')
  return password
}

function withoutLineEnd(text: string): string {
  return text.replace(/\r?\n$/, '')
}
