/** The caller's name for one command, so that sending it again does not do it again. */

import { invalidRequest } from '../../domain/failure.ts'
import type { Context } from './context.ts'

const visibleAscii = /^[\x21-\x7e]{1,255}$/

/** The `Idempotency-Key` header, or undefined without one. Throws `invalid_request` unless it is 1 to 255 visible ASCII characters. */
export function readIdempotencyKey(ctx: Context): string | undefined {
  const key = ctx.req.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key === 'string' && visibleAscii.test(key)) return key
  throw invalidRequest([
    { path: 'Idempotency-Key', message: 'Must be 1 to 255 visible ASCII characters.' },
  ])
}
