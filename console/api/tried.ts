/** Starts backtests, and keeps in this tab what each was started with, so that it can go on. */

import { ask } from './client.ts'
import { readDraft, writeDraft } from './drafts.ts'
import { forget } from './query.ts'
import type { Backtest, BacktestReport, BacktestRequest } from './schema.ts'
import { session } from './session.ts'

/** The service has it nowhere on record: drafts are the author's. */
interface Tried {
  readonly body: BacktestRequest
  readonly query: { readonly from?: string }
}

export async function startBacktest(tried: Tried): Promise<Backtest> {
  const { value } = await ask('POST /v2/watch/management/backtests', tried)
  writeDraft(nameOf(value.id), tried)
  await forget('GET /v2/watch/management/backtests')
  return value
}

/** Undefined where another tab or program started it. */
export const findTried = (id: string): Tried | undefined => readDraft<Tried>(nameOf(id))

function nameOf(id: string): string {
  const { value } = session
  return `${'who' in value ? value.who.account_id : ''}:backtest:${id}`
}

/** Tries over the newest evaluations. */
export async function preview(body: BacktestRequest): Promise<BacktestReport> {
  return (await ask('POST /v2/watch/management/backtests/preview', { body })).value
}
