/** What a call can end with other than an answer, in sentences. */

import { type CliError, cliError } from '../terminal/cliError.ts'
import { exitCodes } from '../terminal/exitCode.ts'

type Body = Readonly<Record<string, unknown>>

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the host name could not be looked up',
  ETIMEDOUT: 'the connection timed out',
}

/** No answer came. `cause` is a sentence, or what `fetch` threw. */
export function unreachable(url: URL, cause: unknown): CliError {
  const message = `Cannot reach ${url.origin}: ${typeof cause === 'string' ? cause : reasonOf(cause)}.`
  return cliError(message, exitCodes.unreachable, { code: 'unreachable' })
}

function reasonOf(thrown: unknown): string {
  const inner = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown
  const code = typeof inner === 'object' && inner !== null ? Reflect.get(inner, 'code') : undefined
  if (typeof code === 'string') return words[code] ?? code
  return inner instanceof Error ? inner.message : String(inner)
}

/** The service answered with a status from 400 on. */
export function refused(status: number, body: Body | undefined, url: URL): CliError {
  const exitCode = status >= 500 ? exitCodes.unreachable : exitCodes.refused
  const code = body?.['code']
  const message = body?.['message']
  if (typeof code !== 'string' || typeof message !== 'string') {
    const sentence = `${url.origin} answered ${status} in words that are not Vigil's.`
    return cliError(sentence, exitCode, { code: 'not_vigil', status })
  }
  return cliError(message, exitCode, { ...body, status })
}

/** What answered is not the service. */
export function notVigil(status: number, url: URL): CliError {
  return cliError(
    `${url.origin} answered ${status} with something that is no answer of Vigil; is the address right?`,
    exitCodes.unreachable,
    { code: 'not_vigil', status },
  )
}
