/** `vigil rules usage`: what a change of a rule would touch. */

import type { Command } from 'commander'
import type { RuleUsageAnswer } from '../answers.ts'
import { describe } from '../describe.ts'
import { kindFacts } from '../folder/kind.ts'
import { idArgument } from '../idArgument.ts'
import { type Run, type Session, serve } from '../session.ts'
import { usageLines } from '../views/usage.ts'

/** Adds `usage` to `vigil rules`. */
export function addUsageCommand(rules: Command, run: Run): void {
  describe(rules, {
    usage: 'usage <id>',
    summary: 'Show the recipes and flows a rule stands in, and its outcomes of seven days.',
    example: 'vigil rules usage rul_01jc0t6fwwfgfsq1md24mhyztj',
  }).action(serve(run, showUsage))
}

async function showUsage(
  { client, print, paint }: Session,
  _: object,
  id = '',
): Promise<undefined> {
  const path = `${kindFacts.rules.path}/${idArgument('rules', id)}/usage`
  const { body } = await (await client())('GET', path)
  print(body, () => usageLines(body as unknown as RuleUsageAnswer, paint))
}
