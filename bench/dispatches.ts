/**
 * Dispatches of front ends: what one costs against an entry of feedback, and what it costs an evaluation to name one.
 */

import { Agent } from 'node:http'
import type { Benchmark } from './benchmark.ts'
import { startVigil, temporaryFolder } from './childProcess.ts'
import { type Figure, figureOf } from './figure.ts'
import { person } from './people.ts'
import { settled } from './readiness.ts'
import { perSecond, postNext, type Requests } from './senders.ts'
import { issueSdkKey, openShop } from './shop.ts'
import { sixtyRules } from './sixtyRules.ts'
import { median, ratios } from './statistics.ts'

const connections = 8
const peopleCount = 5_000
/** Dispatches that are there from the start, to be named. */
const namedMax = 200
/** Front ends are measured, not the limits of their rates. */
const unlimited = {
  VIGIL_SDK_KEY_RATE_LIMIT: '100000',
  VIGIL_SDK_ADDRESS_RATE_LIMIT: '100000',
}

/** Measures requests per second by so many senders at once, of each kind in turn. */
export const dispatches: Benchmark = async ({ size }) => {
  const folder = temporaryFolder()
  const vigil = await startVigil(folder.path, [], unlimited)
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  try {
    const shop = await openShop(vigil.port, sixtyRules, ['feedback'])
    const key = await issueSdkKey(vigil.port, shop.account)
    const load = {
      agent,
      port: vigil.port,
      connections,
      durationMs: { full: 4_000, quick: 1_000, smallest: 100 }[size],
    }
    const byToken = { authorization: `Bearer ${shop.token}` }
    const kinds: Readonly<Record<Kind, Requests>> = {
      dispatch: { path: '/v1/signals', headers: { 'x-sdk-key': key }, body: dispatchOf },
      feedback: { path: '/v2/watch/feedback', headers: byToken, body: feedbackOf },
      naming: { path: '/v2/watch/eval', headers: byToken, body: evaluationOf(shop.flow, true) },
      plain: { path: '/v2/watch/eval', headers: byToken, body: evaluationOf(shop.flow, false) },
    }
    for (let number = 0; number < namedMax; number += 1) await postNext(load, kinds.dispatch)
    const rates: Record<Kind, number[]> = { dispatch: [], feedback: [], naming: [], plain: [] }
    for (let round = -1; round < { full: 9, quick: 3, smallest: 1 }[size]; round += 1) {
      for (const kind of ['feedback', 'dispatch', 'plain', 'naming'] as const) {
        await settled(vigil.port)
        const rate = await perSecond(load, kinds[kind])
        if (round >= 0) rates[kind].push(rate)
      }
    }
    return figures(rates)
  } finally {
    agent.destroy()
    await vigil.stop()
    folder.remove()
  }
}

type Kind = 'dispatch' | 'feedback' | 'naming' | 'plain'

function figures({ dispatch, feedback, naming, plain }: Record<Kind, number[]>): readonly Figure[] {
  const rate = (of: readonly number[]): string => `${median(of).toFixed(0)}/s`
  return [
    figureOf(
      {
        name: `POST /v1/signals, ${connections} connections, durable, sealing on`,
        against: 'feedback of one entry, likewise',
        unit: 'of its requests/s',
        target: { bound: 'at least', value: 0.7 },
      },
      ratios(dispatch, feedback),
      [`dispatches ${rate(dispatch)}, feedback ${rate(feedback)}`],
    ),
    figureOf(
      {
        name: `POST /v2/watch/eval that names a dispatch, ${connections} connections, 60 rules`,
        against: 'the same without a dispatch',
        unit: 'of its requests/s',
        target: { bound: 'at least', value: 0.7 },
      },
      ratios(naming, plain),
      [`naming one ${rate(naming)}, without ${rate(plain)}`],
    ),
  ]
}

function dispatchId(number: number): string {
  return `0198c0de-7f4a-7b2c-9d1e-${number.toString(16).padStart(12, '0')}`
}

function dispatchOf(number: number): object {
  const { ext } = person(number % peopleCount)
  return {
    dispatch_id: dispatchId(number),
    signals: {
      device_id: `device-${number}`,
      device_platform: 'web',
      user_agent: ext['user_agent'],
    },
  }
}

function feedbackOf(number: number): object {
  const { phone_number, ext } = person(number % peopleCount)
  const target = { type: 'phone_number', value: phone_number }
  const signals = { user_agent: ext['user_agent'], device_platform: 'web' }
  return { feedbacks: [{ target, type: 'verification.started', signals }] }
}

function evaluationOf(flow_id: string, names: boolean): Requests['body'] {
  return (number) => {
    const { phone_number, email_address, existing_user, ext } = person(number % peopleCount)
    return {
      ...{ flow_id, target: { phone_number, email_address }, signals: { existing_user, ext } },
      ...(names && { dispatch_id: dispatchId(number % namedMax) }),
    }
  }
}
