/** `vigil rules usage`: what a change of a rule would touch. */

import type { Command } from 'commander'
import type { RuleUsageView } from '../../service/analysis/analysisPart.ts'
import { type Invocation, type Run, serve } from '../connecting/invocation.ts'
import { kindFacts } from '../rulebook/folder/kind.ts'
import { resourceId } from '../rulebook/resourceId.ts'
import { describe } from '../terminal/describe.ts'
import { usageLines } from './usageView.ts'

/** Adds `usage` to `vigil rules`. */
export function addUsageCommand(rules: Command, run: Run): void {
  describe(rules, {
    usage: 'usage',
    takes: { '<rule>': 'its id or name' },
    summary: 'Show the recipes and flows a rule stands in, and its outcomes of seven days.',
    example: 'vigil rules usage rul_01jc0t6fwwfgfsq1md24mhyztj',
  }).action(serve(run, showUsage))
}

async function showUsage(invocation: Invocation, _: object, rule = ''): Promise<undefined> {
  const { print, screen } = invocation
  const client = await invocation.client()
  const id = await resourceId(client, { kind: 'rules' }, rule)
  const { body } = await client<RuleUsageView>('GET', `${kindFacts.rules.path}/${id}/usage`)
  print(body, () => usageLines(body, screen))
}
