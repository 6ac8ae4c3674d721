/** A shop on a service that runs as a process of its own, spoken to over HTTP. */

import type { Received } from '../http/support/sendRequest.ts'
import { openCustomer } from './openVigil.ts'
import type { StartedVigil } from './startedVigil.ts'

export interface RunningShop {
  readonly token: string
  readonly flow: string
}

/** Sends a request and reads its answer. Rejects when the service is gone. */
export function send(
  { door }: StartedVigil,
  [method, path]: readonly [string, string],
  sent: { readonly token: string; readonly body?: unknown },
): Promise<Received<Record<string, unknown>>> {
  return door.request(method, path, sent)
}

/** Opens an account with a flow of one rule; the service must have been started with `operatorToken`. */
export async function openRunningShop(vigil: StartedVigil): Promise<RunningShop> {
  const { token, flowOf } = await openCustomer(vigil)
  return { token, flow: await flowOf('int(signal.ext.cart) > 50') }
}

/** Evaluates the shop's flow for the person of this number. Rejects unless it is answered 200. */
export async function evaluate(
  vigil: StartedVigil,
  { token, flow }: RunningShop,
  number: number,
): Promise<{ readonly path: string; readonly body: string }> {
  const { status, text, body } = await send(vigil, ['POST', '/v2/watch/eval'], {
    token,
    body: {
      flow_id: flow,
      target: { phone_number: `+336${String(10_000_000 + number)}` },
      signals: { ext: { cart: String(number % 100) } },
    },
  })
  if (status !== 200) throw new Error(text)
  return { path: `/v2/watch/evaluations/${body['id']}`, body: text }
}

/** Sends until the service is gone; `answered` gathers what was acknowledged, by its path. */
export async function keepSending(
  work: () => Promise<{ readonly path: string; readonly body: string }>,
  answered: Map<string, string>,
): Promise<void> {
  for (;;) {
    try {
      const { path, body } = await work()
      answered.set(path, body)
    } catch {
      return
    }
  }
}
