/** How the names that rules can read are shown. */

import type { SignalAnswer } from '../connecting/answers.ts'
import type { Paint } from '../terminal/paint.ts'
import { type Column, table } from '../terminal/table.ts'

const columns: readonly Column[] = [
  { title: 'NAME' },
  { title: 'TYPE' },
  { title: 'DISPATCH' },
  { title: 'FROM' },
  { title: 'MEANING' },
]

/** A line for each name; the source that wins stands first. */
export function signalTable(signals: readonly SignalAnswer[], paint: Paint): readonly string[] {
  const rows = signals.map(({ name, type, needs_dispatch, sources, meaning }) => [
    name,
    type,
    needs_dispatch ? 'needed' : '',
    sources.join(', '),
    meaning,
  ])
  return table(columns, rows, paint)
}
