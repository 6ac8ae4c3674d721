/** Declares `vigil dispatches`: records the signals of a dispatch (operator). */

import { randomUUID } from 'node:crypto'
import type { CommandRow } from '../connecting/commandRow.ts'
import { collectPairs, type Pairs } from '../terminal/describe.ts'
import { deviceSignalsOf } from './signalOptions.ts'

const sample = 'vigil dispatches record acc_01jc0t6fwwfgfsq1md24mhyztj --signal ip=192.0.2.7'

export const dispatchCommands: CommandRow = {
  usage: 'dispatches',
  summary: 'Record dispatches (operator).',
  example: sample,
  commands: [
    {
      usage: 'record <account> [dispatch]',
      summary: 'Record the signals of a dispatch and print its id, a new one unless given.',
      example: `${sample} --signal device_platform=web`,
      options: {
        '--signal <name=value>': {
          meaning: 'a device or network signal; may be repeated',
          parse: collectPairs,
        },
      },
      caller: 'operator',
      request: 'POST /v2/operator/accounts/<account>/dispatches',
      body: {
        dispatch_id: (given) => given('<dispatch>') ?? randomUUID(),
        signals: (given) => deviceSignalsOf(given<Pairs>('--signal')),
      },
    },
  ],
}
