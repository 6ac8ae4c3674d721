/** Runs a backtest through the API and reads its report. */

import { expect } from 'vitest'
import type { Customer, openVigil } from '../../support/openVigil.ts'

const path = '/v2/watch/management/backtests'
const ofJob = new Set('id state started_at reported_at tried recipe_id end scanned done'.split(' '))

type Body = Record<string, unknown>

/** Starts one with these parameters, waits until it has ended, and answers its report. */
export async function readBacktest(
  vigil: Awaited<ReturnType<typeof openVigil>>,
  customer: Customer,
  asked: { readonly body: unknown; readonly query: string },
) {
  const started = await customer.send('POST', `${path}${asked.query}`, asked.body)
  expect(started.status, started.text).toBe(202)
  await vigil.service.context.background.settled()
  const { body: job } = await customer.send('GET', `${path}/${started.body['id']}`)
  expect(job).toMatchObject({ state: 'DONE', done: 1 })
  const report = Object.entries(job).filter(([field]) => !ofJob.has(field))
  return Object.fromEntries(report) as Body & Record<'table' | 'changed', readonly Body[]>
}
