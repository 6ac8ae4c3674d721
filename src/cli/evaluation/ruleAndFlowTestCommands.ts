/** Declares `vigil rules test` and `vigil flows test`, which record nothing. */

import { formatExtName, formatWrittenName } from '../../engine/language/readableNames.ts'
import type {
  FlowTestView,
  NotCountedView,
  RuleTestView,
} from '../../queries/evaluation/evaluationView.ts'
import type { JsonObject } from '../connecting/client.ts'
import {
  type CommandDefinition,
  type FieldSources,
  fillFields,
  type OptionDefinitions,
  type ParameterName,
} from '../connecting/commandDefinition.ts'
import type { Invocation } from '../connecting/invocation.ts'
import { idOrNameArgument, namedResources } from '../connecting/resourceId.ts'
import { parseDeviceSignals } from '../signals/signalCommands.ts'
import { exitCodes, usageError } from '../terminal/cliError.ts'
import { formatWarnings, readWarnings } from '../terminal/errorText.ts'
import {
  collectChoices,
  pairsOption,
  parseIsoTime,
  type ValuesByName,
} from '../terminal/optionValues.ts'
import { readInputObject } from '../terminal/readInput.ts'
import { chooseColour, escapeControls } from '../terminal/screen.ts'
import {
  assertTarget,
  chooseVerdictExitCode,
  signalOptions,
  targetAndSignalFields,
  targetOptions,
} from './evaluationCommands.ts'
import { buildConditionBranches, formatRecipeTrees, formatTree } from './explanationView.ts'
import {
  formatUnusedSignals,
  listObstacles,
  type PrintedCounter,
  type PrintedRead,
} from './verdictView.ts'

const sampleOptions: OptionDefinitions = {
  ...targetOptions,
  ...signalOptions,
  '--dispatched': 'as if a dispatch of the front end were named',
  '--dispatch-signal <name=value>': pairsOption('a signal of that dispatch'),
  '--list <allow|block>': {
    description: 'a list that contains the target',
    parse: collectChoices(['allow', 'block']),
  },
  '--time <time>': {
    description: 'the clock of the rules: ISO 8601, in UTC unless with a zone; now by default',
    parse: parseIsoTime,
  },
}

const sample: FieldSources = {
  ...targetAndSignalFields,
  dispatch_signals: (given) => {
    const signals = given<ValuesByName>('--dispatch-signal')
    return given('--dispatched') || signals ? parseDeviceSignals(signals) : undefined
  },
  lists: (given) => {
    const names = given<readonly string[]>('--list')
    return names && Object.fromEntries(names.map((name) => [name, true]))
  },
  time: '--time',
}

/** The options of a sample. */
export const sampleSources = Object.keys(sampleOptions).map(
  (usage) => usage.split(' ')[0] as ParameterName,
)

/** `vigil rules test` with a sample. */
export const testRuleCommand = {
  summary: 'Try a rule that is not saved: its outcome, what it read, the value of every part.',
  example: `vigil rules test 'signal.ip == "198.51.100.7"' --phone +33612345678 --signal ip=198.51.100.7 --dispatched`,
  options: {
    '--file <file>': 'YAML or JSON with the expression, in place of it; - is standard input',
    ...sampleOptions,
  },
  run: async (invocation: Invocation): Promise<undefined> => {
    const evidence = fillFields(sample, invocation.given)
    const body = { evidence, expression: await readExpression(invocation) }
    const path = `${namedResources.rules.path}/test`
    const answer = await invocation.client<RuleTestView>('POST', path, { body })
    invocation.print(answer, () => formatRuleTest(answer, invocation))
  },
} satisfies CommandDefinition

export const testFlowCommand: CommandDefinition = {
  arguments: { '<flow>': idOrNameArgument(namedResources.flows) },
  summary: 'Try a flow, or a draft of it: why every rule came out as it did.',
  example: '--draft draft.yaml --phone +33612345678 --ext cart_total=900',
  options: {
    '--draft <file>': 'YAML or JSON with the recipes to run instead; - is standard input',
    '--expressions': 'also the value of every sub-expression',
    '--exit-code': `end with ${exitCodes.flagged} for FLAG`,
    ...sampleOptions,
  },
  check: assertTarget,
  request: `POST ${namedResources.flows.path}/<flow>/test`,
  query: { explain: (given) => given('--expressions') && 'expressions' },
  input: async (invocation) => ({
    ...fillFields(sample, invocation.given),
    draft: await readDraftFile(invocation),
  }),
  lines: formatFlowTest,
  exitCode: chooseVerdictExitCode,
}

async function readExpression({ context, given }: Invocation): Promise<string> {
  const [expression, file] = [given('<expression>'), given('--file')]
  if ((file === undefined) === (expression === undefined)) {
    throw usageError('Give the rule as an argument, or by --file.')
  }
  const fields = file === undefined ? { expression } : await readInputObject(context, file)
  const text: unknown = fields['expression']
  if (typeof text === 'string' && text.trim() !== '') return text
  const name = file === undefined ? 'The rule' : `The expression in ${file}`
  throw usageError(`${name} must be a text.`)
}

/** Other fields of a flow that a draft may have, so that the output of `get` is one. */
const besideRecipes: ReadonlySet<string> = new Set(['id', 'name', 'version_id'])

async function readDraftFile({ context, given }: Invocation): Promise<object | undefined> {
  const file = given('--draft')
  return file === undefined ? undefined : readDraft(await readInputObject(context, file), file)
}

/** The draft in the file; of a recipe written out what the service sets itself is left out. */
export function readDraft({ recipes, ...rest }: JsonObject, file: string): object {
  if (!Array.isArray(recipes) || recipes.length === 0) {
    throw usageError(`${file} must have a list of recipes: their ids, or recipes written out.`)
  }
  const unknown = Object.keys(rest).find((name) => !besideRecipes.has(name))
  if (unknown !== undefined) throw usageError(`${file}: ${unknown} is not a field of a draft.`)
  return { recipes: recipes.map(removeServiceFields) }
}

export function removeServiceFields(recipe: unknown): unknown {
  if (typeof recipe !== 'object' || recipe === null) return recipe
  const { id: _, version_id: __, ...rest } = recipe as Readonly<Record<string, unknown>>
  return rest
}

/** The outcome with a tree of the rule's parts and of what it read, and what of the sample did not count. */
function formatRuleTest(answer: RuleTestView, invocation: Invocation): readonly string[] {
  const { paint } = invocation
  const note = listObstacles(answer).join(', ')
  const outcome = paint(chooseColour(answer.outcome), answer.outcome)
  return [
    ...formatTree({
      text: `${outcome}${note === '' ? '' : `  (${note})`}`,
      branches: buildConditionBranches(answer, paint),
    }),
    ...formatRemarks(answer, invocation),
  ]
}

/** The verdict, a tree for each recipe that ran, and what of the sample did not count. */
function formatFlowTest(answer: FlowTestView, invocation: Invocation): readonly string[] {
  const { paint } = invocation
  const { verdict, flow_id, flow_name, explanation } = answer
  const name = flow_name === undefined ? '' : `${paint('bold', flow_name)}  `
  const rules = explanation.flatMap((recipe) => recipe.rules)
  const reads = rules.flatMap((rule) => rule.reads ?? [])
  const counters = rules.flatMap((rule) => rule.counters ?? [])
  return [
    `${paint(chooseColour(verdict), verdict)}  ${name}${escapeControls(flow_id)}  tried, not recorded`,
    ...formatRecipeTrees(explanation, paint),
    ...(explanation.length === 0 ? ['', 'No recipe ran: none is LIVE or SHADOW.'] : []),
    ...formatRemarks({ ...answer, reads, counters }, invocation),
  ]
}

interface TestRun {
  readonly warnings?: unknown
  readonly reads: readonly Pick<PrintedRead, 'name'>[]
  readonly counters?: readonly Pick<PrintedCounter, 'name'>[] | undefined
  readonly not_counted: readonly NotCountedView[]
}

/** What of the sample did not count, how to make it count, what no rule reads, and warnings. */
function formatRemarks(answer: TestRun, { given, paint }: Invocation): readonly string[] {
  const { reads, counters = [], not_counted } = answer
  const read = new Set(reads.map(({ name }) => name))
  // what a counter measures is no read, and stands in its text
  const isMeasured = (name: string) =>
    counters.some((counter) => counter.name.includes(formatWrittenName(name)))
  const ext = Object.entries(given<ValuesByName>('--ext') ?? {})
  const unread = ext.filter(([key, value]) => {
    const name = formatExtName(key)
    return value && !read.has(name) && !isMeasured(name)
  })
  const lacksDispatch = not_counted.some(({ reason }) => reason === 'needs_dispatch')
  const notes = [
    ...unread.map(([key]) => `${formatExtName(key)} was given, but nothing that ran reads it.`),
    ...(lacksDispatch ? ['To try it as if a dispatch were named, add --dispatched.'] : []),
  ].map((note) => paint('yellow', note))
  const warnings = formatWarnings(readWarnings(answer), paint)
  return [
    ...formatUnusedSignals(not_counted, paint),
    ...(notes.length === 0 ? [] : ['', ...notes]),
    ...(warnings.length === 0 ? [] : ['', ...warnings]),
  ]
}
