/** Finds and lists the backtests of an account: their progress and reports. */

import type { Call } from '../../../domain/call.ts'
import { backtestStream } from '../../../events/analysis/backtest.ts'
import { type AccountStreams, requireAuthoring } from '../../../state/accounts/requireAccess.ts'
import {
  type BacktestStreams,
  type BacktestView,
  type ListedBacktest,
  toBacktestView,
  toListedBacktest,
} from '../../../state/analysis/backtestStreamType.ts'
import { requireJob } from '../../../state/folding/jobState.ts'
import type { QueryContext } from '../../reading/queryContext.ts'

type Context = BacktestStreams & AccountStreams & Pick<QueryContext, 'clock'>

/** Throws `access_not_enabled`, and `not_found` for one that is not among the account's last twenty. */
export async function findBacktest(
  context: Context,
  call: Call,
  id: string,
): Promise<BacktestView> {
  return toBacktestView(requireJob(await readBacktests(context, call), id), context.clock.nowMs())
}

/** The last twenty without their reports, the one begun last first. Throws `access_not_enabled`. */
export async function listBacktests(
  context: Context,
  call: Call,
): Promise<readonly ListedBacktest[]> {
  const backtests = await readBacktests(context, call)
  return backtests.map((backtest) => toListedBacktest(backtest, context.clock.nowMs()))
}

async function readBacktests(context: Context, call: Call) {
  await requireAuthoring(context, call)
  const { state } = await context.backtests.catchUp(backtestStream(call.principal.accountId))
  return state
}
