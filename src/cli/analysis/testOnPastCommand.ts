/** Declares `vigil rules test`: a draft tried with a sample, or over the last evaluations. */

import type { BacktestReport } from '../../state/analysis/backtestStreamType.ts'
import {
  type CommandDefinition,
  fillFields,
  type ParameterName,
} from '../connecting/commandDefinition.ts'
import type { Invocation } from '../connecting/invocation.ts'
import { idOrNameArgument, namedResources } from '../connecting/resourceId.ts'
import { sampleSources, testRuleCommand } from '../evaluation/ruleAndFlowTestCommands.ts'
import { usageError } from '../terminal/cliError.ts'
import { formatReport, readTriedFile } from './backtestCommand.ts'

const pastOnly: readonly ParameterName[] = ['--flow', '--recipe', '--where']

export const testRuleOrPastCommand: CommandDefinition = {
  summary: 'Try a rule that is not saved: with a sample, or over the last evaluations.',
  example: `${testRuleCommand.example}
vigil rules test 'signal.ext.shop_country != "FR"' --on-past`,
  options: {
    ...testRuleCommand.options,
    '--on-past': 'try it over the last 2,000 evaluations; --file may be a recipe or a flow then',
    '--flow <flow>': idOrNameArgument(namedResources.flows, 'the flow of that recipe or flow'),
    '--recipe <recipe>': idOrNameArgument(
      namedResources.recipes,
      'the recipe of the flow that the one in the file takes the place of',
    ),
    '--where <conditions>': 'with --on-past: only evaluations that fulfil them',
  },
  check: ({ given }) => {
    const isOnPast = given('--on-past') !== undefined
    const misplaced = (isOnPast ? sampleSources : pastOnly).find((one) => given(one) !== undefined)
    if (misplaced === undefined) return
    throw usageError(`${misplaced} ${isOnPast ? 'does not go with' : 'needs'} --on-past.`)
  },
  run: (invocation) =>
    invocation.given('--on-past') ? testOnPast(invocation) : testRuleCommand.run(invocation),
}

async function testOnPast(invocation: Invocation): Promise<undefined> {
  const { client, given, print, screen } = invocation
  const [expression, file] = [given('<expression>'), given('--file')]
  if ((file === undefined) === (expression === undefined)) {
    throw usageError('Give the rule as an argument, or a rule, recipe or flow by --file.')
  }
  const body = file === undefined ? { expression } : await readTriedFile(invocation, file)
  const query = fillFields({ where: '--where' }, given)
  const path = '/v2/watch/management/backtests/preview'
  const found = await client<BacktestReport>('POST', path, { query, body })
  print(found, () => formatReport(found, screen))
}
