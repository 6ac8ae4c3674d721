/** Whether a body says that it is what this API reads: JSON in UTF-8. */

import type { IncomingMessage } from 'node:http'
import { Failure } from '../../domain/failure.ts'

/**
 * Throws `unsupported_media_type` for a body that is not declared as JSON, or declared to be in another character set than UTF-8, which
 * is the only one of JSON (RFC 8259, 8.1). A route may take another type of JSON as well.
 */
export function assertJson(req: IncomingMessage, otherType?: string): void {
  const header = req.headers['content-type'] ?? ''
  if (header === 'application/json') return
  if (header === '' && !hasBody(req)) return
  const [type = '', ...parameters] = header.split(';').map((part) => part.trim().toLowerCase())
  if (type !== 'application/json' && type !== otherType) {
    throw refusal("The header 'Content-Type: application/json' is required.")
  }
  assertUtf8(parameters)
}

/** Throws `unsupported_media_type` for parameters of a type that name another character set than UTF-8; they are in lower case. */
export function assertUtf8(parameters: readonly string[]): void {
  if (!parameters.every(isUtf8)) throw refusal('The body must be in UTF-8.')
}

const utf8Names = new Set(['utf-8', 'utf8', '"utf-8"', '"utf8"'])

function isUtf8(parameter: string): boolean {
  const [name, value = ''] = parameter.split('=', 2)
  return name !== 'charset' || utf8Names.has(value)
}

/** Whether the request says that a body comes. */
export function hasBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const length = headers['content-length'] ?? '0'
  return headers['transfer-encoding'] !== undefined || length !== '0'
}

function refusal(message: string): Failure {
  return new Failure('unsupported_media_type', message)
}
