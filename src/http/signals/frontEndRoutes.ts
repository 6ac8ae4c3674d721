/** Declares the route for signals of front ends: SDK key, origin, rate and size limits. */

import type { IncomingMessage } from 'node:http'
import { type FrontEndDispatch, recordFrontEndDispatch } from '../../commands/signals/dispatches.ts'
import { Failure, invalidRequest } from '../../domain/failure.ts'
import { publicIp, toClientNetwork } from '../../domain/network/ipAddress.ts'
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
import { defineRoute } from '../request/defineRoute.ts'
import type { Context } from '../request/requestContext.ts'
import type { Access, Route } from '../request/route.ts'
import { readSingleHeader } from '../request/singleHeader.ts'
import { readClientIp } from './clientAddress.ts'
import { dispatchSchema } from './dispatchRoutes.ts'
import { frontEndBody, frontEndTextMax } from './frontEndBody.ts'

/** Default rates. Many people may share one address. */
const keyRateDefault: RateLimit = { perSecond: 50, burst: 500 }
const addressRateDefault: RateLimit = { perSecond: 10, burst: 100 }

/** Longer texts are no key of ours. */
const keyMax = 128

/** The forms of JA4, raw ones left out. */
const ja4 = /^[A-Za-z0-9_-]{1,64}$/

/** Connection facts read for front ends, and their rates. */
export interface FrontEndOptions {
  readonly rates: TokenBuckets
  readonly keyRate?: RateLimit | undefined
  readonly addressRate?: RateLimit | undefined
  /** Bytes that the dispatches of one key may take in the log in a day. */
  readonly keyBytesPerDay?: number | undefined
  /** Proxies in front of the service whose headers are believed. */
  readonly trustedProxies: number
  /** The header in which the one that ends TLS tells the JA4 fingerprint, in lower case; undefined when none does. */
  readonly ja4Header: string | undefined
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
  const route = defineRoute({
    method: 'POST',
    path: '/v1/signals',
    operationId: 'dispatchSignals',
    summary: "Send a device's signals under a dispatch id",
    tag: 'Front ends',
    kind: 'plain',
    access: frontEndAccess(options),
    body: {
      ...frontEndBody,
      read: async (ctx) => {
        const dispatch = await frontEndBody.read(ctx)
        const seen = seenSignals(ctx.req, options)
        return { ...dispatch, seen, textBytes: textBytesOf({ ...seen, ...dispatch.signals }) }
      },
    },
    answers: {
      201: {
        description: 'The dispatch is on record; the same again is no error.',
        schema: dispatchSchema,
      },
    },
    failures: ['conflict'],
    crossOrigin: sdkHeaders,
    serve: async ({ context, call, body: { dispatch_id, signals: said, seen, textBytes } }) => {
      const { dispatched, requests: meter } = context.metrics
      await countBytes(options, meter, { key: call.principal.keyId, textBytes })
      const { repeated } = await recordFrontEndDispatch(context, call, {
        dispatch_id,
        sentSignals: said,
        observedSignals: seen,
      })
      dispatched(repeated ? 'repeated' : 'recorded')
      return { status: 201, body: { dispatch_id } }
    },
  })
  const onFailure: Route['onFailure'] = ({ service: { context } }, error) =>
    context.metrics.dispatched(outcomeOf(error))
  return { ...route, onFailure }
}

/** Throws `invalid_request` for more than a dispatch may have. */
function textBytesOf(signals: Signals): number {
  const texts = deviceSignals.map((name) => signals[name] ?? '')
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  if (bytes <= textMax) return bytes
  const message = `Must have at most ${textMax} bytes of text together, as UTF-8.`
  throw invalidRequest([{ path: 'signals', message }])
}

/** What a dispatch takes in the log beside its text, and what a byte of text takes, which is sealed and written in base64. */
const envelopeBytes = 1_200
const sealedByte = 4 / 3

/** Counts what a key has written; rejects `rate_limited` beyond its budget, and like `TokenBuckets`. */
function countBytes(
  { rates, keyBytesPerDay: budget = keyBytesPerDayDefault }: FrontEndOptions,
  meter: Metrics['requests'],
  { key, textBytes }: { readonly key: string; readonly textBytes: number },
): Promise<void> {
  const rate = { perSecond: budget / daySeconds, burst: budget }
  const cost = envelopeBytes + Math.ceil(textBytes * sealedByte)
  return enforceRateLimits(rates, {
    owner: '',
    buckets: [{ rate, cost, kind: 'SDK key bytes', key }],
    message: 'The SDK key has written as much as it may in a day; try again later.',
    meter,
  })
}

function outcomeOf(error: unknown): DispatchOutcome {
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
function seenSignals(
  req: IncomingMessage,
  { trustedProxies, ja4Header }: FrontEndOptions,
): FrontEndDispatch['observedSignals'] {
  const ip = publicIp(readClientIp(req, trustedProxies) ?? '')
  const fingerprint =
    ja4Header === undefined || trustedProxies === 0 ? undefined : readSingleHeader(req, ja4Header)
  const userAgent = req.headers['user-agent'] ?? ''
  return {
    ...(ip !== undefined && { ip }),
    ...(fingerprint !== undefined && ja4.test(fingerprint) && { ja4_fingerprint: fingerprint }),
    ...(userAgent !== '' && userAgent.length <= frontEndTextMax && { user_agent: userAgent }),
  }
}

/**
 * Admits the front end with the key of the header `X-SDK-Key`. The address is counted before the key is checked, so that guessing keys
 * is rate-limited. Only valid keys are counted, so that invented ones use no memory. Throws `rate_limited`, `missing_sdk_key`,
 * `invalid_sdk_key`, `origin_not_allowed`, and like `TokenBuckets`.
 */
function frontEndAccess(options: FrontEndOptions): Access<FrontEndPrincipal> {
  const { rates, keyRate = keyRateDefault, addressRate = addressRateDefault } = options

  const admit = async (ctx: Context): Promise<FrontEndPrincipal> => {
    const { req, service } = ctx
    const count = (bucket: RateBucket, whose: string): Promise<void> =>
      enforceRateLimits(rates, {
        owner: '',
        buckets: [bucket],
        message: `The ${whose} has sent too many signals; try again later.`,
        meter: service.context.metrics.requests,
      })
    const address = readClientIp(req, options.trustedProxies) ?? req.socket.remoteAddress ?? ''
    const network = toClientNetwork(address.slice(0, keyMax))
    const text = String(req.headers['x-sdk-key'] ?? '').trim()
    const bucket = { rate: addressRate, kind: 'front end address', key: network }
    await count(bucket, 'address')
    const principal = await service.authenticateFrontEnd(keyOf(text), req.headers.origin)
    ctx.state.principal = principal
    await count({ rate: keyRate, kind: 'SDK key', key: principal.keyId }, 'SDK key')
    return principal
  }
  return () => ({ admits: 'front_end', admit })
}

/** The key. Several headers of the name have arrived as one text, which is none. */
function keyOf(key: string): string {
  if (key === '') throw new Failure('missing_sdk_key', "The header 'X-SDK-Key' is missing.")
  if (key.length <= keyMax) return key
  throw new Failure('invalid_sdk_key', 'The SDK key is not valid.')
}
