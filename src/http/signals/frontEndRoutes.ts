/** Declares the route for signals of front ends: SDK key, origin, rate and size limits. */

import type { IncomingMessage } from 'node:http'
import { type FrontEndDispatch, recordFrontEndDispatch } from '../../commands/signals/dispatches.ts'
import { Failure, invalidRequest } from '../../domain/failure.ts'
import { normalizePublicIp } from '../../domain/network/ipAddress.ts'
import type { FrontEndPrincipal } from '../../domain/principal.ts'
import { deviceSignals, type Signals } from '../../domain/signals/signals.ts'
import type { DispatchOutcome } from '../../metrics/meters.ts'
import type { Metrics } from '../../metrics/openMetrics.ts'
import {
  enforceRateLimits,
  type RateBucket,
  type RateLimit,
  type TokenBuckets,
} from '../middleware/limitRates.ts'
import type { Access } from '../request/access.ts'
import {
  readClientIp,
  readClientNetwork,
  readJa4Fingerprint,
  type TrustedProxies,
} from '../request/clientConnection.ts'
import type { Context } from '../request/requestContext.ts'
import { defineRoute, type Route } from '../request/route.ts'
import { dispatchSchema } from './dispatchRoutes.ts'
import { frontEndBody, frontEndTextMax } from './frontEndBody.ts'

/** Default rates. Many people may share one address. */
const keyRateDefault: RateLimit = { perSecond: 50, burst: 500 }
const addressRateDefault: RateLimit = { perSecond: 10, burst: 100 }

/** Longer texts are no key of ours. */
const keyMax = 128

/** What is read of the connections of front ends, and their rates. */
export interface FrontEndOptions extends TrustedProxies {
  readonly rates: TokenBuckets
  readonly keyRate?: RateLimit | undefined
  readonly addressRate?: RateLimit | undefined
  /** Bytes that the dispatches of one key may take in the log in a day. */
  readonly keyBytesPerDay?: number | undefined
}

/** What the published SDKs send beside the usual headers. */
const sdkHeaders = [
  'Content-Type',
  'Content-Encoding',
  'X-SDK-Key',
  'X-SDK-DispatchID',
  'X-SDK-User-Agent',
  'X-SDK-Request-Date',
  'X-SDK-Implemented-Features',
  'X-SDK-Retry-Attempt',
  'X-Request-Id',
]

const keyBytesPerDayDefault = 1_000_000_000
const daySeconds = 24 * 60 * 60

/** Bytes of text in one dispatch, as UTF-8: a device says a few hundred of itself. */
const textMax = 4_096

/** `POST /v1/signals`. The response has no log position, since front ends are public. */
export function defineFrontEndRoute(options: FrontEndOptions): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/signals',
    operationId: 'dispatchSignals',
    summary: "Send a device's signals under a dispatch id",
    tag: 'Front ends',
    kind: 'plain',
    access: frontEndAccess(options),
    body: {
      ...frontEndBody,
      read: async (ctx) => ({
        ...(await frontEndBody.read(ctx)),
        observedSignals: readObservedSignals(ctx.req, options),
      }),
    },
    answers: {
      201: {
        description: 'The dispatch is on record; the same again is no error.',
        schema: dispatchSchema,
      },
    },
    failures: ['conflict'],
    crossOrigin: sdkHeaders,
    serve: async ({
      context,
      call,
      body: { dispatch_id, signals: sentSignals, observedSignals },
    }) => {
      const { dispatched, requests: meter } = context.metrics
      const textBytes = measureText({ ...observedSignals, ...sentSignals })
      countBytes(options, meter, { key: call.principal.keyId, textBytes })
      const dispatch = { dispatch_id, sentSignals, observedSignals }
      const { repeated } = await recordFrontEndDispatch(context, call, dispatch)
      dispatched(repeated ? 'repeated' : 'recorded')
      return { value: { dispatch_id } }
    },
    onFailure: ({ service: { context } }, error) =>
      context.metrics.dispatched(classifyFailure(error)),
  })
}

/** Throws `invalid_request` for more than a dispatch may have. */
function measureText(signals: Signals): number {
  const texts = deviceSignals.map((name) => signals[name] ?? '')
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  if (bytes <= textMax) return bytes
  const message = `Must have at most ${textMax} bytes of text together, as UTF-8.`
  throw invalidRequest([{ path: 'signals', message }])
}

/** Bytes of a dispatch in the log beside its text, and those of a byte of text, sealed and in base64. */
const envelopeBytes = 1_200
const sealedByte = 4 / 3

/** Counts what a key has written. Throws `rate_limited` beyond its budget. */
function countBytes(
  { rates, keyBytesPerDay: budget = keyBytesPerDayDefault }: FrontEndOptions,
  meter: Metrics['requests'],
  { key, textBytes }: { readonly key: string; readonly textBytes: number },
): void {
  const rate = { perSecond: budget / daySeconds, burst: budget }
  const cost = envelopeBytes + Math.ceil(textBytes * sealedByte)
  enforceRateLimits(rates, {
    buckets: [{ rate, cost, kind: 'SDK key bytes', key }],
    message: 'The SDK key has written as much as it may in a day; try again later.',
    meter,
  })
}

function classifyFailure(error: unknown): DispatchOutcome {
  if (!(error instanceof Failure)) return 'failed'
  switch (error.code) {
    case 'conflict':
    case 'rate_limited':
      return error.code
    case 'missing_sdk_key':
    case 'invalid_sdk_key':
    case 'origin_not_allowed':
      return 'refused_key'
    default:
      return error.status < 500 ? 'invalid' : 'failed'
  }
}

/** The address when it is public, the fingerprint, and the browser's own header. */
function readObservedSignals(
  req: IncomingMessage,
  proxies: TrustedProxies,
): FrontEndDispatch['observedSignals'] {
  const ip = normalizePublicIp(readClientIp(req, proxies) ?? '')
  const fingerprint = readJa4Fingerprint(req, proxies)
  const userAgent = req.headers['user-agent'] ?? ''
  return {
    ...(ip !== undefined && { ip }),
    ...(fingerprint !== undefined && { ja4_fingerprint: fingerprint }),
    ...(userAgent !== '' && userAgent.length <= frontEndTextMax && { user_agent: userAgent }),
  }
}

/**
 * Admits the front end with the key of the header `X-SDK-Key`. The address is counted before the key is checked, so
 * that guessing keys is rate-limited. Only valid keys are counted, so that invented ones use no memory. Throws
 * `rate_limited`, `missing_sdk_key`, `invalid_sdk_key`, `origin_not_allowed`.
 */
function frontEndAccess(options: FrontEndOptions): Access<FrontEndPrincipal> {
  const { rates, keyRate = keyRateDefault, addressRate = addressRateDefault } = options

  const admit = async ({ req, service, state }: Context): Promise<FrontEndPrincipal> => {
    const count = (bucket: RateBucket, whose: string): void =>
      enforceRateLimits(rates, {
        buckets: [bucket],
        message: `The ${whose} has sent too many signals; try again later.`,
        meter: service.context.metrics.requests,
      })
    const network = readClientNetwork(req, options)
    count({ rate: addressRate, kind: 'front end address', key: network }, 'address')
    const principal = await service.authenticateFrontEnd(readSdkKey(req), req.headers.origin)
    state.principal = principal
    count({ rate: keyRate, kind: 'SDK key', key: principal.keyId }, 'SDK key')
    return principal
  }
  return () => ({ admits: 'front_end', admit })
}

/** The key. Several headers of the name have arrived as one text, which is none. */
function readSdkKey({ headers }: IncomingMessage): string {
  const key = String(headers['x-sdk-key'] ?? '').trim()
  if (key === '') throw new Failure('missing_sdk_key', "The header 'X-SDK-Key' is missing.")
  if (key.length <= keyMax) return key
  throw new Failure('invalid_sdk_key', 'The SDK key is not valid.', { isWrongToken: true })
}
