/** Declares `vigil signals`: lists the names that rules can read. */

import type { SignalView } from '../../queries/rulebook/signals.ts'
import type { CommandRow } from '../connecting/commandRow.ts'
import type { CellColumn } from '../terminal/table.ts'

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
