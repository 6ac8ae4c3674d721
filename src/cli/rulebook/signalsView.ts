/** How the names that rules can read are shown. */

import type { SignalView } from '../../service/rulebook/rulebookPart.ts'
import type { Screen } from '../terminal/screen.ts'
import { type Column, table } from '../terminal/table.ts'

const columns: readonly Column[] = [
  { title: 'NAME' },
  { title: 'TYPE' },
  { title: 'DISPATCH' },
  { title: 'FROM', narrow: 'wrap' },
  { title: 'MEANING', narrow: 'wrap' },
]

/** A line for each name; the source that wins stands first. */
export function signalTable(signals: readonly SignalView[], screen: Screen): readonly string[] {
  const rows = signals.map(({ name, type, needs_dispatch, sources, meaning }) => [
    name,
    type,
    needs_dispatch ? 'needed' : '',
    sources.join(', '),
    meaning,
  ])
  return table(columns, rows, screen)
}
