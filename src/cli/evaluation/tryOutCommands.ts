/** `vigil rules test` and `vigil flows test`: tried and not recorded. */

import type { Command } from 'commander'
import type { FlowTestView, RuleTestView } from '../../service/evaluation/evaluationView.ts'
import { type Invocation, type Run, serve } from '../connecting/invocation.ts'
import { kindFacts } from '../rulebook/folder/kind.ts'
import { resourceId } from '../rulebook/resourceId.ts'
import type { CliContext } from '../terminal/cliContext.ts'
import { usageError } from '../terminal/cliError.ts'
import { describe } from '../terminal/describe.ts'
import { type ExitCode, exitCodes } from '../terminal/exitCode.ts'
import { readInputFile } from '../terminal/inputFile.ts'
import { hints, type SampleOptions, sampleOf, withSample } from './sampleOptions.ts'
import { flowTestLines, ruleTestLines } from './tryOutView.ts'

/** Adds `test` to `vigil rules`. */
export function addTestRuleCommand(rules: Command, run: Run): void {
  const command = describe(rules, {
    usage: 'test [expression]',
    summary: 'Try a rule that is not saved: its outcome, what it read, the value of every part.',
    example: `vigil rules test 'signal.ip == "198.51.100.7"' --phone +33612345678 --signal ip=198.51.100.7 --dispatched`,
  }).option(
    '--file <file>',
    'YAML or JSON with the expression, in place of it; - is standard input',
  )
  withSample(command).action(serve<RuleTestOptions>(run, testRule))
}

/** Adds `test` to `vigil flows`. */
export function addTestFlowCommand(flows: Command, run: Run): void {
  const command = describe(flows, {
    usage: 'test',
    takes: { '<flow>': 'its id or name' },
    summary: 'Try a flow as it stands, or a draft of it: why every rule came out as it did.',
    example:
      'vigil flows test flo_01jc0t6fwwfgfsq1md24mhyztj --draft draft.yaml --phone +33612345678 --ext cart_total=900',
  })
    .option('--draft <file>', 'YAML or JSON with the recipes to run instead; - is standard input')
    .option('--expressions', 'also the value of every sub-expression')
    .option('--exit-code', `end with ${exitCodes.flagged} for FLAG`)
  withSample(command).action(serve<FlowTestOptions>(run, testFlow))
}

interface RuleTestOptions extends SampleOptions {
  readonly file?: string
}

async function testRule(
  { context, client, print, paint }: Invocation,
  options: RuleTestOptions,
  ...args: readonly (string | undefined)[]
): Promise<undefined> {
  const evidence = sampleOf(options)
  const expression = await expressionOf(context, options.file, args[0])
  const path = `${kindFacts.rules.path}/test`
  const { body: answer } = await (await client())<RuleTestView>('POST', path, {
    body: { expression, evidence },
  })
  print(answer, () => ruleTestLines(answer, hints(options, answer), paint))
}

async function expressionOf(
  context: CliContext,
  file: string | undefined,
  given: string | undefined,
): Promise<string> {
  if ((file === undefined) === (given === undefined)) {
    throw usageError('Give the rule as an argument, or by --file.')
  }
  if (file === undefined) return textOf(given, 'The rule')
  const { expression } = (await readInputFile(context, file)) as { readonly expression?: unknown }
  return textOf(expression, `The expression in ${file}`)
}

function textOf(given: unknown, what: string): string {
  if (typeof given === 'string' && given.trim() !== '') return given
  throw usageError(`${what} must be a text.`)
}

interface FlowTestOptions extends SampleOptions {
  readonly draft?: string
  readonly expressions?: boolean
  readonly exitCode?: boolean
}

async function testFlow(
  invocation: Invocation,
  options: FlowTestOptions,
  flow = '',
): Promise<ExitCode> {
  const { context, print, paint } = invocation
  const sample = sampleOf(options)
  if (!('target' in sample)) {
    throw usageError('Say who is evaluated: --phone, --email or both.')
  }
  const draft = options.draft === undefined ? undefined : await draftOf(context, options.draft)
  const client = await invocation.client()
  const id = await resourceId(client, { kind: 'flows' }, flow)
  const { body: answer } = await client<FlowTestView>(
    'POST',
    `${kindFacts.flows.path}/${id}/test`,
    {
      body: { ...sample, draft },
      query: { explain: options.expressions ? 'expressions' : undefined },
    },
  )
  const reads = answer.explanation.flatMap(({ rules }) => rules.flatMap((rule) => rule.reads ?? []))
  print(answer, () => flowTestLines(answer, hints(options, { ...answer, reads }), paint))
  return options.exitCode && answer.verdict === 'FLAG' ? exitCodes.flagged : exitCodes.done
}

/** What a flow says beside its recipes; it may stand in the file of a draft, so that what `get` prints is one. */
const besideRecipes: ReadonlySet<string> = new Set(['id', 'name', 'version_id'])

/** The draft in the file; of a recipe written out what the service sets itself is left out. */
async function draftOf(context: CliContext, file: string): Promise<object> {
  const { recipes, ...rest } = (await readInputFile(context, file)) as {
    readonly recipes?: unknown
  }
  if (!Array.isArray(recipes) || recipes.length === 0) {
    throw usageError(`${file} must have a list of recipes: their ids, or recipes written out.`)
  }
  const stranger = Object.keys(rest).find((name) => !besideRecipes.has(name))
  if (stranger !== undefined) throw usageError(`${file}: ${stranger} is no part of a draft.`)
  return { recipes: recipes.map(draftRecipe) }
}

function draftRecipe(recipe: unknown): unknown {
  if (typeof recipe !== 'object' || recipe === null) return recipe
  const { id: _, version_id: __, ...rest } = recipe as Readonly<Record<string, unknown>>
  return rest
}
