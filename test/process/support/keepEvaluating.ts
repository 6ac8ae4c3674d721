/** Evaluations that are asked for while processes end, and whether all that was acknowledged is there afterwards. */

import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Customer } from '../../support/openVigil.ts'
import type { StartedWorkers } from '../../support/startedWorkers.ts'

/** Evaluates on some connections at a time, whatever breaks; `answered` gathers what was acknowledged, by its id. */
export function keepEvaluating(shop: Customer, flow: string) {
  const answered = new Map<string, unknown>()
  let isOver = false
  const client = async (): Promise<void> => {
    while (!isOver) {
      const answer = await shop.evaluate(flow).catch(() => undefined)
      if (answer?.status === 200) answered.set(String(answer.body['id']), answer.body)
      await sleep(20)
    }
  }
  const clients = Promise.all(Array.from({ length: 6 }, client))
  return {
    answered,
    stop: async () => {
      isOver = true
      await clients
    },
  }
}

/** Sends as the customer does, to this start of the service. */
export function sendTo(all: StartedWorkers, { token }: Customer): Customer['send'] {
  return (method, path, body) =>
    all.ask(method, path, { token, ...(body !== undefined && { body }) })
}

/** Every one of them can be read, with what was answered. */
export async function expectAllThere(
  { send }: Pick<Customer, 'send'>,
  answered: ReadonlyMap<string, unknown>,
): Promise<void> {
  const rest = [...answered]
  const reader = async (): Promise<void> => {
    for (let next = rest.pop(); next; next = rest.pop()) {
      const [id, body] = next
      const seen = await send('GET', `/v2/watch/evaluations/${id}`)
      expect(seen.status).toBe(200)
      expect(seen.body).toMatchObject(body as object)
    }
  }
  await Promise.all(Array.from({ length: 8 }, reader))
}
