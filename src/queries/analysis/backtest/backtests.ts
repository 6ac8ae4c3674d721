/** Finds and lists the backtests of an account: their progress and reports. */

import type { Call } from '../../../domain/call.ts'
import { backtestStream } from '../../../events/analysis/backtest.ts'
import {
  type BacktestStreams,
  type BacktestView,
  type ListedBacktest,
  toBacktestView,
  toListedBacktest,
} from '../../../state/analysis/backtestStreamType.ts'
import { requireJob } from '../../../state/folding/jobState.ts'
import type { QueryContext } from '../../reading/queryContext.ts'

type Context = BacktestStreams & Pick<QueryContext, 'clock'>

/** Throws `not_found` for one that the account does not have, or had before its last twenty. */
export async function findBacktest(
  { backtests, clock }: Context,
  { principal }: Call,
  id: string,
): Promise<BacktestView> {
  const { state } = await backtests.catchUp(backtestStream(principal.accountId))
  return toBacktestView(requireJob(state, id), clock.nowMs())
}

/** The last twenty without their reports, the one begun last first. */
export async function listBacktests(
  { backtests, clock }: Context,
  { principal }: Call,
): Promise<readonly ListedBacktest[]> {
  const { state } = await backtests.catchUp(backtestStream(principal.accountId))
  return state.map((backtest) => toListedBacktest(backtest, clock.nowMs()))
}
