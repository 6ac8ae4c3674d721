/** Reads the signals a front end sends, as JSON or as a packed SDK payload. */

import { Failure, invalidRequest } from '../../domain/failure.ts'
import { closedObject, optionalFields } from '../../domain/jsonSchema.ts'
import { devicePlatforms, type FrontEndSignal, type Signals } from '../../domain/signals/signals.ts'
import {
  type BodyReader,
  buildSchemaCheck,
  jsonBodyReader,
  parseContentType,
} from '../request/body/bodyReader.ts'
import { readBodyBytes } from '../request/body/jsonBody.ts'
import type { Context } from '../request/requestContext.ts'
import { pickSignals } from './normalizeSignals.ts'
import { decodeSdkPayload } from './sdkPayload.ts'

/** Maximum characters of one signal, since anyone with a public key may send them. */
export const frontEndTextMax = 1_024

const text = { type: 'string', maxLength: frontEndTextMax } as const

const frontEndSignals = closedObject(
  'FrontEndSignals',
  optionalFields({
    device_id: { ...text, description: 'Unique id per user device.' },
    device_platform: { type: 'string', enum: [...devicePlatforms, ''] },
    device_model: text,
    os_version: text,
    app_version: text,
    user_agent: { ...text, description: "Defaults to the header 'User-Agent'." },
  }),
  {
    description:
      'Signals of the device; an empty text counts as omitted. IP address and JA4 fingerprint are taken from the connection.',
  },
)

const frontEndDispatchSchema = closedObject('FrontEndDispatch', {
  dispatch_id: {
    type: 'string',
    minLength: 36,
    maxLength: 36,
    description: 'Made by the front end, such as a UUID of version 7; evaluations refer to it.',
  },
  signals: frontEndSignals,
})

/** The type under which the SDKs send their payload. */
const packedType = 'application/vnd.prelude.signals'

/** How long a payload may be, as sent. */
const packedMax = 32 * 1024

const checked = buildSchemaCheck<FrontEndDispatchBody>(frontEndDispatchSchema)

const jsonBody = jsonBodyReader(frontEndDispatchSchema, 'small', (value): FrontEndDispatchBody => {
  const { dispatch_id, signals } = checked(value)
  return { dispatch_id, signals: pickSignals(signals, undefined) }
})

/** The dispatch. Throws `invalid_request` also when the header `X-SDK-DispatchID` names another one. */
export const frontEndBody: BodyReader<FrontEndDispatchBody> = {
  schema: frontEndDispatchSchema,
  contentTypes: { [packedType]: undefined },
  size: 'small',
  read: async (ctx) => {
    const { 'content-type': sentType, 'x-sdk-dispatchid': named } = ctx.req.headers
    const isPacked = parseContentType(sentType).type === packedType
    const dispatch = isPacked ? await readPacked(ctx) : await jsonBody.read(ctx)
    if (named === undefined || named === dispatch.dispatch_id) return dispatch
    const message = 'The header names another dispatch than the body.'
    throw invalidRequest([{ path: 'X-SDK-DispatchID', message }])
  },
}

async function readPacked(ctx: Context): Promise<FrontEndDispatchBody> {
  const coding = ctx.req.headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  if (!['identity', 'deflate'].includes(coding)) {
    throw new Failure('unsupported_media_type', 'A payload of signals is packed by deflate.')
  }
  // as it was sent: raw DEFLATE, which HTTP has no name for, is unpacked later
  ctx.req.headers['content-encoding'] = 'identity'
  const bytes = await readBodyBytes(ctx, 'small')
  if (bytes.length > packedMax) throw new Failure('payload_too_large', 'The body is too large.')
  return checked(decodeSdkPayload(bytes, coding))
}

/** A body as its schema lets it through. */
export interface FrontEndDispatchBody {
  readonly dispatch_id: string
  readonly signals: Pick<Signals, FrontEndSignal>
}
