/** Refuses what an instance that only runs projections does not answer. */

import { Failure } from '../../domain/failure.ts'
import { isMonitoring } from '../connections/isMonitoring.ts'
import type { Context } from '../request/context.ts'

/**
 * Lets requests for health and metrics pass. Throws `misdirected_request` for all others (RFC 9110, 15.5.20), never `not_found`, which
 * could be read as an answer about what was asked for.
 */
export function refuseMisdirected(ctx: Context): void {
  if (ctx.state.sessionHost !== undefined || !isMonitoring(ctx.path))
    throw new Failure('misdirected_request', misdirected)
}

const misdirected =
  'This instance only runs the projections (VIGIL_ROLE=projector): send requests to one with the role api or all.'
