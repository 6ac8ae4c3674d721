/** Reads what a front end sends. */

import { invalidRequest } from '../../domain/failure.ts'
import { type BodyReader, readableBody } from '../request/bodyReader.ts'
import type { Context } from '../request/context.ts'
import { compileSchema, detailsOf } from '../request/validator.ts'
import { frontEndDispatchSchema, type SentDispatch } from './frontEndSchemas.ts'
import { keepSignals } from './readSignals.ts'

const fits = compileSchema<SentDispatch>(frontEndDispatchSchema)

const jsonBody = readableBody(frontEndDispatchSchema, 'small', (value): SentDispatch => {
  if (!fits(value)) throw invalidRequest(detailsOf(fits.errors))
  const { dispatch_id, signals } = value
  return { dispatch_id, signals: keepSignals(signals, undefined) }
})

/** The dispatch. Throws `invalid_request` also when the header `X-SDK-DispatchID` names another one. */
export const frontEndBody: BodyReader<SentDispatch> = {
  ...jsonBody,
  read: async (bytes, ctx) => {
    const dispatch = await jsonBody.read(bytes, ctx)
    assertNamed(ctx, dispatch)
    return dispatch
  },
}

function assertNamed({ req }: Context, { dispatch_id }: SentDispatch): void {
  const named = req.headers['x-sdk-dispatchid']
  if (named === undefined || named === dispatch_id) return
  throw invalidRequest([
    { path: 'X-SDK-DispatchID', message: 'The header names another dispatch than the body.' },
  ])
}
