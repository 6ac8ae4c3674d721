/** Rejects requests that an instance with its role does not serve (`VIGIL_ROLE=projector`). */

import type { Next } from 'koa'
import { Failure } from '../../domain/failure.ts'
import type { Role } from '../../domain/role.ts'
import type { Context } from '../request/requestContext.ts'

const misdirected =
  'This instance only runs the projections (VIGIL_ROLE=projector): send requests to one with the role api or all.'

/**
 * Lets an instance that only runs projections serve health and metrics only. Throws `misdirected_request` for all else
 * (RFC 9110, 15.5.20), never `not_found`, which could be read as an answer about the resource.
 */
export function restrictToRole(role: Role | undefined) {
  return function restrictToRole(ctx: Context, next: Next): Promise<void> {
    if (role === 'projector' && !isMonitoring(ctx)) {
      throw new Failure('misdirected_request', misdirected)
    }
    return next()
  }
}

function isMonitoring({ state, path }: Context): boolean {
  return state.sessionHost === undefined && (path.startsWith('/health/') || path === '/metrics')
}
