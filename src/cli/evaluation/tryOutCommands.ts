/** Declares `vigil rules test` and `vigil flows test`, which record nothing. */

import { extName } from '../../engine/language/names.ts'
import type { NotCounted } from '../../engine/run/evidence.ts'
import type { FlowTestView, RuleTestView } from '../../queries/evaluation/evaluationView.ts'
import type { Body } from '../connecting/client.ts'
import type { CommandRow, Options } from '../connecting/commandRow.ts'
import type { Invocation } from '../connecting/invocation.ts'
import { findId } from '../connecting/nameLookup.ts'
import { kindFacts } from '../rulebook/folder/resourceFile.ts'
import { deviceSignalsOf, signalsOf } from '../signals/signalCommands.ts'
import { type ExitCode, exitCodes, usageError } from '../terminal/cliError.ts'
import { collectPairs, collectWords, isoTime, type Pairs } from '../terminal/describe.ts'
import { warningsOf, warningTexts } from '../terminal/errorText.ts'
import { readInputFile } from '../terminal/input.ts'
import { colourOf, type Paint, printable } from '../terminal/screen.ts'
import type { CliContext } from '../terminal/terminal.ts'
import { conditionBranches, recipeTrees, treeLines } from './explanationView.ts'
import { notCountedLines, obstacles, type ReadAnswer } from './verdictView.ts'

const lists = ['allow', 'block'] as const

const pairs = (meaning: string) => ({ meaning: `${meaning}; may be repeated`, parse: collectPairs })

const sampleOptions: Options = {
  '--phone <number>': 'phone number of the end user',
  '--email <address>': 'email address of the end user',
  '--signal <name=value>': pairs('a signal'),
  '--ext <name=value>': pairs('a signal of your own'),
  '--dispatched': 'as if a dispatch of the front end were named',
  '--dispatch-signal <name=value>': pairs('a signal of that dispatch'),
  '--list <allow|block>': {
    meaning: 'a list that contains the target',
    parse: collectWords(lists),
  },
  '--time <time>': {
    meaning: 'the clock of the rules, ISO 8601 with a zone; now by default',
    parse: isoTime,
  },
}

export const testRuleCommand: CommandRow = {
  usage: 'test [expression]',
  summary: 'Try a rule that is not saved: its outcome, what it read, the value of every part.',
  example: `vigil rules test 'signal.ip == "198.51.100.7"' --phone +33612345678 --signal ip=198.51.100.7 --dispatched`,
  options: {
    '--file <file>': 'YAML or JSON with the expression, in place of it; - is standard input',
    ...sampleOptions,
  },
  run: testRule,
}

export const testFlowCommand: CommandRow = {
  usage: 'test',
  arguments: { '<flow>': 'its id or name' },
  summary: 'Try a flow, or a draft of it: why every rule came out as it did.',
  example:
    'vigil flows test flo_01jc0t6fwwfgfsq1md24mhyztj --draft draft.yaml --phone +33612345678 --ext cart_total=900',
  options: {
    '--draft <file>': 'YAML or JSON with the recipes to run instead; - is standard input',
    '--expressions': 'also the value of every sub-expression',
    '--exit-code': `end with ${exitCodes.flagged} for FLAG`,
    ...sampleOptions,
  },
  run: testFlow,
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
    throw usageError('Name the end user: --phone, --email or both.')
  }
  const draft = options.draft === undefined ? undefined : await draftOf(context, options.draft)
  const client = await invocation.client()
  const id = await findId(client, kindFacts.flows, flow)
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

/** Other fields of a flow that a draft may have, so that the output of `get` is one. */
const besideRecipes: ReadonlySet<string> = new Set(['id', 'name', 'version_id'])

/** The draft in the file; of a recipe written out what the service sets itself is left out. */
async function draftOf(context: CliContext, file: string): Promise<object> {
  const { recipes, ...rest } = (await readInputFile(context, file)) as {
    readonly recipes?: unknown
  }
  if (!Array.isArray(recipes) || recipes.length === 0) {
    throw usageError(`${file} must have a list of recipes: their ids, or recipes written out.`)
  }
  const unknown = Object.keys(rest).find((name) => !besideRecipes.has(name))
  if (unknown !== undefined) throw usageError(`${file}: ${unknown} is not a field of a draft.`)
  return { recipes: recipes.map(draftRecipe) }
}

function draftRecipe(recipe: unknown): unknown {
  if (typeof recipe !== 'object' || recipe === null) return recipe
  const { id: _, version_id: __, ...rest } = recipe as Readonly<Record<string, unknown>>
  return rest
}

interface SampleOptions {
  readonly phone?: string
  readonly email?: string
  readonly signal?: Pairs
  readonly ext?: Pairs
  readonly dispatched?: boolean
  readonly dispatchSignal?: Pairs
  readonly list?: readonly (typeof lists)[number][]
  readonly time?: string
}

/** The sample as the API takes it. Throws `usage` for a name or a value that no signal has. */
function sampleOf(options: SampleOptions): Body {
  const { phone, email, dispatched, dispatchSignal, list, time } = options
  const hasTarget = phone !== undefined || email !== undefined
  return {
    ...(hasTarget && { target: { phone_number: phone, email_address: email } }),
    signals: signalsOf(options.signal, options.ext),
    dispatch_signals:
      dispatched || dispatchSignal ? deviceSignalsOf(dispatchSignal ?? {}) : undefined,
    lists: list && Object.fromEntries(list.map((name) => [name, true])),
    time,
  }
}

/** Hints: signals that no rule reads, and how to make others count. */
function hints(options: SampleOptions, { reads, not_counted }: Tried): readonly string[] {
  const { ext = {} } = options
  const read = new Set(reads.map(({ name }) => name))
  const unread = Object.keys(ext).filter((key) => ext[key] && !read.has(extName(key)))
  const lacksDispatch = not_counted.some(({ reason }) => reason === 'needs_dispatch')
  return [
    ...unread.map((key) => `${extName(key)} was given, but nothing that ran reads it.`),
    ...(lacksDispatch ? ['To try it as if a dispatch were named, add --dispatched.'] : []),
  ]
}

/** What was read of the sample, and what did not count. */
interface Tried {
  readonly reads: readonly Pick<ReadAnswer, 'name'>[]
  readonly not_counted: readonly NotCounted[]
}

/** The outcome with a tree of the rule's parts and of what it read, and what of the sample did not count. */
function ruleTestLines(
  answer: RuleTestView,
  notes: readonly string[],
  paint: Paint,
): readonly string[] {
  const note = obstacles(answer).join(', ')
  const outcome = paint(colourOf(answer.outcome), printable(answer.outcome))
  return [
    ...treeLines({
      text: `${outcome}${note === '' ? '' : `  (${note})`}`,
      branches: conditionBranches(answer, paint),
    }),
    ...notCountedLines(answer.not_counted, paint),
    ...noteLines(notes, paint),
    ...warned(answer, paint),
  ]
}

/** The verdict, a tree for each recipe that ran, and what of the sample did not count. */
function flowTestLines(
  { verdict, flow_id, flow_name, explanation, not_counted, ...answer }: FlowTestView,
  notes: readonly string[],
  paint: Paint,
): readonly string[] {
  const name = flow_name === undefined ? '' : `${paint('bold', printable(flow_name))}  `
  return [
    `${paint(colourOf(verdict), printable(verdict))}  ${name}${printable(flow_id)}  tried, not recorded`,
    ...recipeTrees(explanation, paint),
    ...(explanation.length === 0 ? ['', 'No recipe ran: none is LIVE or SHADOW.'] : []),
    ...notCountedLines(not_counted, paint),
    ...noteLines(notes, paint),
    ...warned(answer, paint),
  ]
}

function warned(answer: { readonly warnings?: unknown }, paint: Paint): readonly string[] {
  const lines = warningTexts(warningsOf(answer), paint)
  return lines.length === 0 ? [] : ['', ...lines]
}

function noteLines(notes: readonly string[], paint: Paint): readonly string[] {
  if (notes.length === 0) return []
  return ['', ...notes.map((note) => paint('yellow', printable(note)))]
}
