/** Starts backtests, and keeps in this tab what each was started with, so that it can go on. */

import { type ApiFailure, ask } from './client.ts'
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

const pauseMs = 1_500

/** Tries over the newest evaluations. An account has one such question at a time: while another is under way, it waits. */
export async function preview(body: BacktestRequest, attempts = 6): Promise<BacktestReport> {
  try {
    return (await ask('POST /v2/watch/management/backtests/preview', { body })).value
  } catch (error) {
    if ((error as ApiFailure).status !== 429 || attempts <= 1) throw error
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
    return preview(body, attempts - 1)
  }
}
