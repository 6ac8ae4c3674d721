/** `vigil rules usage`: what a change of a rule would touch. */

import type { Command } from 'commander'
import type { RuleUsageAnswer } from '../connecting/answers.ts'
import { type Invocation, type Run, serve } from '../connecting/invocation.ts'
import { kindFacts } from '../rulebook/folder/kind.ts'
import { idArgument } from '../rulebook/idArgument.ts'
import { describe } from '../terminal/describe.ts'
import { usageLines } from './usageView.ts'

/** Adds `usage` to `vigil rules`. */
export function addUsageCommand(rules: Command, run: Run): void {
  describe(rules, {
    usage: 'usage <id>',
    summary: 'Show the recipes and flows a rule stands in, and its outcomes of seven days.',
    example: 'vigil rules usage rul_01jc0t6fwwfgfsq1md24mhyztj',
  }).action(serve(run, showUsage))
}

async function showUsage(
  { client, print, screen }: Invocation,
  _: object,
  id = '',
): Promise<undefined> {
  const path = `${kindFacts.rules.path}/${idArgument('rules', id)}/usage`
  const { body } = await (await client())('GET', path)
  print(body, () => usageLines(body as unknown as RuleUsageAnswer, screen))
}
