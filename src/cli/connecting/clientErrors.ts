/** Builds the errors of failed API calls: unreachable, refused, or not a Vigil service. */

import { type CliError, createCliError, exitCodes, isCliError } from '../terminal/cliError.ts'
import type { JsonObject } from './client.ts'
import type { Token } from './invocation.ts'

type Reason = readonly [words: string, hint: string]

const whereItIs =
  'Is it running (npm start)? Set its address with --server, VIGIL_URL or vigil profile set.'
const addressRight = 'Is the address right? It comes from --server, VIGIL_URL or the profile.'
const trustIt = 'Trust who signed it: NODE_EXTRA_CA_CERTS=authority.pem vigil …'

const unknownSigner = 'its certificate is signed by an authority that is not known here'

const reasons: Readonly<Record<string, Reason>> = {
  ECONNREFUSED: ['the connection was refused', whereItIs],
  ECONNRESET: ['the connection was reset', addressRight],
  ENOTFOUND: ['there is no such host', addressRight],
  EAI_AGAIN: ['the host name could not be looked up', addressRight],
  ETIMEDOUT: ['the connection timed out', addressRight],
  UND_ERR_CONNECT_TIMEOUT: ['the connection timed out', addressRight],
  UND_ERR_SOCKET: [
    'the connection was closed without an answer',
    'Does it speak TLS there? Then its address begins with https://.',
  ],
  ERR_SSL_WRONG_VERSION_NUMBER: [
    'there is no TLS there',
    'Without TLS its address begins with http://.',
  ],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['its certificate is signed by itself', trustIt],
  SELF_SIGNED_CERT_IN_CHAIN: [unknownSigner, trustIt],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: [unknownSigner, trustIt],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: [
    'its certificate comes without the certificates of its signers',
    `Let the server send the whole chain, or trust it here: ${trustIt}`,
  ],
  CERT_HAS_EXPIRED: [
    'its certificate has expired',
    'Renew the certificate on the server; is the clock of this machine right?',
  ],
  ERR_TLS_CERT_ALTNAME_INVALID: ['its certificate is for another host name', addressRight],
}

/** The error of a call without an answer. `cause` is a sentence, or the error of `fetch`. */
export function unreachableError(url: URL, cause: unknown): CliError {
  // the error of `fetch` itself gives no reason
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
  const text = inner instanceof Error ? inner.message : String(inner)
  const reason = inner instanceof Error && 'code' in inner ? String(inner.code) : undefined
  const known = Object.hasOwn(reasons, reason ?? '') ? reasons[reason ?? ''] : undefined
  const [words, hint] = known ?? [reason ?? text, addressRight]
  return createCliError(`Cannot reach ${url.origin}: ${words}.`, exitCodes.unreachable, {
    code: 'unreachable',
    ...(reason !== undefined && { reason }),
    hint,
  })
}

const broken: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])

/** Whether an open connection broke before the answer, so that it is unknown whether the call was carried out. */
export function isConnectionBroken(thrown: unknown): boolean {
  return isCliError(thrown) && broken.has(thrown.facts['reason'])
}

/** The refused call: its address and token. */
interface Call {
  readonly url: URL
  readonly token: Token
}

/** The error of an answer with a status of 400 or above. */
export function refusalError(
  status: number,
  body: JsonObject | undefined,
  { url, token }: Call,
): CliError {
  const exitCode = status >= 500 ? exitCodes.unreachable : exitCodes.refused
  const code = body?.['code']
  const message = body?.['message']
  if (typeof code !== 'string' || typeof message !== 'string') {
    const sentence = `${url.origin} answered ${status} in a form that is not Vigil's.`
    return createCliError(sentence, exitCode, { code: 'not_vigil', status, hint: addressRight })
  }
  const hint = chooseTokenHint(code, token)
  return createCliError(message, exitCode, { ...body, status, ...(hint !== undefined && { hint }) })
}

/** A hint for refusals that concern the token, not the request. */
function chooseTokenHint(code: string, { from, caller }: Token): string | undefined {
  if (code === 'invalid_api_token') {
    return caller === 'operator'
      ? `It came from ${from}. The operator token is printed by the first start of the service, unless VIGIL_OPERATOR_TOKEN was set there.`
      : `It came from ${from}, and may be revoked, or of another service. The operator issues another: vigil tokens issue`
  }
  if (code === 'insufficient_scope') {
    return caller === 'operator'
      ? `It came from ${from}; the operator's commands take it from VIGIL_OPERATOR_TOKEN.`
      : `It came from ${from}. The operator issues one that does: vigil tokens issue ACCOUNT --scope SCOPE`
  }
  if (code === 'access_not_enabled') return 'The operator enables it: vigil access'
  return undefined
}

/** The error when another server answered; `location` is the target of its redirect. */
export function notVigilError(status: number, url: URL, location: string | null): CliError {
  const target =
    location !== null && URL.canParse(location, url.href) ? new URL(location, url) : undefined
  const hint = target
    ? `It sends callers to ${target.origin}; if that is yours, use it with --server.`
    : addressRight
  const message = `${url.origin} answered ${status} with something that is not an answer of Vigil.`
  return createCliError(message, exitCodes.unreachable, { code: 'not_vigil', status, hint })
}
