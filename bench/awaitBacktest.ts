/** Starts a backtest and waits for its report. */

import { setTimeout as wait } from 'node:timers/promises'
import { type Sent, send } from './shop.ts'

/** Between two looks at a running backtest. */
const lookMs = 20

/** The report. Throws when the backtest is refused, fails, or is given up: it is cancelled then. */
export async function awaitBacktest(
  port: number,
  sent: Sent,
  signal?: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  const { token, path } = sent
  const { id } = await send(port, sent)
  const one = `${path.replace(/\?.*/, '')}/${String(id)}`
  for (;;) {
    const report = await send(port, { method: 'GET', path: one, token })
    if (report['state'] === 'DONE') return report
    if (report['state'] !== 'RUNNING') throw new Error(`the backtest is ${report['state']}`)
    if (signal?.aborted) await send(port, { method: 'POST', path: `${one}/cancel`, token })
    await wait(lookMs)
  }
}
