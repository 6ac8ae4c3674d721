/** Rejects too many headers, and an invalid Host, forwarded host, Expect or Transfer-Encoding. */

import type { Next } from 'koa'
import { Failure, invalidRequest } from '../../domain/failure.ts'
import type { Context } from '../request/requestContext.ts'
import { countHeaderLines } from '../request/requestHeaders.ts'

/** Maximum header lines of a request. */
export const headersMax = 100

/**
 * Throws `headers_too_large` for too many headers, `invalid_request` unless there is exactly one Host (RFC 9112, 3.2),
 * the forwarded one is the same, and there is no transfer coding but chunked (6.1), and `expectation_failed` for any
 * expectation but `100-continue` (RFC 9110, 10.1.1).
 */
export function rejectInvalidHeaders(ctx: Context, next: Next): Promise<void> {
  const { headers, httpVersion, rawHeaders } = ctx.req
  if (rawHeaders.length > 2 * headersMax) {
    // what else it says, such as the length of its body or what it expects, may be among those that were left out
    ctx.res.setHeader('Connection', 'close')
    throw new Failure('headers_too_large', `There may be at most ${headersMax} headers.`)
  }
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue') {
    // whether the body of a refused expectation still comes is unknown, so nothing after it can be read
    ctx.res.setHeader('Connection', 'close')
    throw new Failure('expectation_failed', "The only expectation that is met is '100-continue'.")
  }
  const coding = headers['transfer-encoding']
  if (coding !== undefined && coding.trim().toLowerCase() !== 'chunked') {
    // what comes is not what it would be read as
    ctx.res.setHeader('Connection', 'close')
    const message = 'The only coding of a transfer that is read is chunked.'
    throw invalidRequest([{ path: 'Transfer-Encoding', message }])
  }
  const hosts = countHeaderLines(rawHeaders, 'host')
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1')) {
    throw invalidRequest([{ path: 'Host', message: 'This header is required, once.' }])
  }
  if (ctx.state.hasHostMismatch) {
    throw invalidRequest([{ path: 'X-Forwarded-Host', message: 'Must be the same as Host.' }])
  }
  return next()
}
