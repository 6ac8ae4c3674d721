/** What front ends send by themselves: the signals of their device. */

import { Failure, invalidRequest } from '../../domain/failure.ts'
import { deviceSignals, type Signals } from '../../domain/signals.ts'
import type { DispatchMeter, DispatchOutcome } from '../../metrics/dispatchMeter.ts'
import type { AccountsPart } from '../../service/accounts/accountsPart.ts'
import type { OperationsPart } from '../../service/operations/operationsPart.ts'
import type { SignalsPart } from '../../service/signals/signalsPart.ts'
import type { Rates } from '../middleware/rates.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { noQuery } from '../request/queryReader.ts'
import type { Route } from '../request/route.ts'
import { dispatchSchema } from './dispatchSchemas.ts'
import { type FrontEndRates, frontEndAccess } from './frontEndAccess.ts'
import { frontEndBody } from './frontEndBody.ts'
import { type Sight, seenSignals } from './seenSignals.ts'

/** What is known of those who send signals, and how many they may send. */
export interface FrontEndOptions extends FrontEndRates, Sight {
  readonly rates: Rates
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

/** `POST /v1/signals`. Strangers are not told how far the log has come. */
export function frontEndRoutes(
  service: AccountsPart & SignalsPart & Pick<OperationsPart, 'metrics'>,
  options: FrontEndOptions,
): readonly Route[] {
  const { requests, dispatched } = service.metrics
  const countBytes = openByteBudget(options, requests)
  const route = defineRoute({
    method: 'POST',
    path: '/v1/signals',
    operationId: 'dispatchSignals',
    summary: 'Send the signals of a device under the id of a dispatch',
    tag: 'Front ends',
    kind: 'plain',
    access: frontEndAccess({
      ...options,
      authenticate: service.authenticateFrontEnd,
      meter: requests,
    }),
    ids: {},
    query: noQuery,
    body: {
      ...frontEndBody,
      read: async (bytes, ctx) => {
        const dispatch = await frontEndBody.read(bytes, ctx)
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
    serve: async ({ call, body: { dispatch_id, signals: said, seen, textBytes } }) => {
      await countBytes(call.principal.keyId, textBytes)
      const { repeated } = await service.dispatchSignals(call, { dispatch_id, said, seen })
      dispatched(repeated ? 'repeated' : 'recorded')
      return { status: 201, body: { dispatch_id } }
    },
  })
  return [countingRefusals(route, dispatched)]
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

/** Counts what a key has written; rejects `rate_limited` beyond its budget, and like `Rates`. */
function openByteBudget(
  { rates, keyBytesPerDay: budget = keyBytesPerDayDefault }: FrontEndOptions,
  meter: OperationsPart['metrics']['requests'],
) {
  const rate = { perSecond: budget / daySeconds, burst: budget }
  return async (key: string, textBytes: number): Promise<void> => {
    const cost = envelopeBytes + Math.ceil(textBytes * sealedByte)
    const bucket = { rate, cost, kind: 'SDK key bytes', key }
    const { allowed, waitSeconds } = await rates.take('', [bucket])
    if (allowed) return
    meter.refused('rate_limited')
    const message = 'The SDK key has written as much as it may in a day; try again later.'
    throw new Failure('rate_limited', message, { retryAfterSeconds: waitSeconds })
  }
}

/** The route, which tells the meter of what was not recorded. */
function countingRefusals(route: Route, dispatched: DispatchMeter): Route {
  return {
    ...route,
    handle: async (ctx) => {
      try {
        await route.handle(ctx)
      } catch (error) {
        dispatched(outcomeOf(error))
        throw error
      }
    },
  }
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
