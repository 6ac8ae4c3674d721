/** Adds `vigil signals`: lists the names that rules can read. */

import type { Command } from 'commander'
import type { SignalView } from '../../queries/rulebook/signals.ts'
import { type Invocation, type Run, serve } from '../connecting/invocation.ts'
import { entriesOf } from '../connecting/search.ts'
import { describe } from '../terminal/describe.ts'
import type { Screen } from '../terminal/screen.ts'
import { type Column, table } from '../terminal/table.ts'

const columns: readonly Column[] = [
  { title: 'NAME' },
  { title: 'TYPE' },
  { title: 'DISPATCH' },
  { title: 'FROM', narrow: 'wrap' },
  { title: 'MEANING', narrow: 'wrap' },
]

/** Adds `signals`. */
export function addSignalsCommand(program: Command, run: Run): void {
  describe(program, {
    usage: 'signals',
    summary: 'List every name that a rule can read, its type and where its value comes from.',
    example: 'vigil signals',
  }).action(serve(run, listSignals))
}

async function listSignals({ client, print, screen }: Invocation): Promise<undefined> {
  const { body } = await (await client())('GET', '/v2/watch/management/signals')
  const signals = entriesOf<SignalView>(body, 'signals')
  print(body, () => signalTable(signals, screen))
}

/** A line for each name; the source that wins stands first. */
function signalTable(signals: readonly SignalView[], screen: Screen): readonly string[] {
  const rows = signals.map(({ name, type, needs_dispatch, sources, meaning }) => [
    name,
    type,
    needs_dispatch ? 'needed' : '',
    sources.join(', '),
    meaning,
  ])
  return table(columns, rows, screen)
}
