/** Adds `vigil dispatches`: records the signals of a dispatch (operator). */

import { randomUUID } from 'node:crypto'
import type { Command } from 'commander'
import { type Invocation, type Run, segment, serve } from '../connecting/invocation.ts'
import { collectPairs, describe, type Pairs } from '../terminal/describe.ts'
import { fieldLines } from '../terminal/table.ts'
import { deviceSignalsOf } from './signalOptions.ts'

/** Adds `dispatches`. */
export function addDispatchCommands(program: Command, run: Run): void {
  const dispatches = describe(program, {
    usage: 'dispatches',
    summary: 'Record dispatches (operator).',
    example: 'vigil dispatches record acc_01jc0t6fwwfgfsq1md24mhyztj --signal ip=192.0.2.7',
  })
  describe(dispatches, {
    usage: 'record <account> [dispatch]',
    summary: 'Record the signals of a dispatch and print its id, a new one unless given.',
    example:
      'vigil dispatches record acc_01jc0t6fwwfgfsq1md24mhyztj --signal ip=192.0.2.7 --signal device_platform=web',
  })
    .option('--signal <name=value>', 'a device or network signal; may be repeated', collectPairs)
    .action(serve<{ readonly signal?: Pairs }>(run, recordDispatch))
}

async function recordDispatch(
  invocation: Invocation,
  { signal }: { readonly signal?: Pairs },
  ...args: readonly (string | undefined)[]
): Promise<undefined> {
  const [account = '', dispatch_id = randomUUID()] = args
  const signals = deviceSignalsOf(signal)
  const client = await invocation.client('operator')
  const path = `/v2/operator/accounts/${segment(account)}/dispatches`
  const { body } = await client('POST', path, { body: { dispatch_id, signals } })
  invocation.print(body, () => fieldLines(body))
}
