/** Declares `vigil signals` and `vigil dispatches`: lists signal names, and records signals (operator). */

import { randomUUID } from 'node:crypto'
import type { SignalView } from '../../queries/rulebook/signals.ts'
import type { CommandRow } from '../connecting/commandRow.ts'
import { collectPairs, type Pairs } from '../terminal/describe.ts'
import type { CellColumn } from '../terminal/table.ts'
import { deviceSignalsOf } from './signalOptions.ts'

const columns: readonly CellColumn<SignalView>[] = [
  { title: 'NAME', cell: 'name' },
  { title: 'TYPE', cell: 'type' },
  { title: 'DISPATCH', cell: ({ needs_dispatch }) => (needs_dispatch ? 'needed' : '') },
  // the source that wins comes first
  { title: 'FROM', cell: 'sources', narrow: 'wrap' },
  { title: 'MEANING', cell: 'meaning', narrow: 'wrap' },
]

export const signalsCommand: CommandRow = {
  usage: 'signals',
  summary: 'List every name that a rule can read, with its type and the source of its value.',
  request: 'GET /v2/watch/management/signals',
  list: { name: 'signals', columns, pages: 'whole' },
}

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
