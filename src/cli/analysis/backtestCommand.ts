/** Declares `vigil backtest` and `backtests`: drafts and weights over recorded evaluations. */

import type {
  BacktestReport,
  BacktestView,
  ListedBacktest,
} from '../../state/analysis/backtestStreamType.ts'
import type { JsonObject } from '../connecting/client.ts'
import { type CommandDefinition, fillFields } from '../connecting/commandDefinition.ts'
import { followJob, requireDone } from '../connecting/followJob.ts'
import { encodePathSegment, type Invocation } from '../connecting/invocation.ts'
import { idOrNameArgument, namedResources, resolveResourceId } from '../connecting/resourceId.ts'
import { readDraft, removeServiceFields } from '../evaluation/ruleAndFlowTestCommands.ts'
import { type ExitCode, exitCodes, usageError } from '../terminal/cliError.ts'
import { integerOption, pairsOption, timeFormats, timeOption } from '../terminal/optionValues.ts'
import { readInputObject } from '../terminal/readInput.ts'
import { escapeControls, formatCount, type Screen } from '../terminal/screen.ts'
import { formatItemTable, type ItemColumns } from '../terminal/table.ts'

type Row = BacktestReport['table'][number]
type Change = BacktestReport['changed'][number]

const path = '/v2/watch/management/backtests'

const verdicts: ItemColumns<Pick<Row, 'answered' | 'unchanged' | 'draft'>> = {
  ANSWERED: { cell: 'answered', coloured: true },
  TODAY: { cell: 'unchanged', coloured: true, optional: true },
  DRAFT: { cell: 'draft', coloured: true },
}
const columns: ItemColumns<Row> = {
  ...verdicts,
  EVALUATIONS: { cell: 'evaluations', align: 'right' },
  PARTIAL: { cell: 'partial', align: 'right' },
  FRAUD: { cell: 'fraud', align: 'right' },
  LEGITIMATE: { cell: 'legitimate', align: 'right' },
  UNLABELLED: { cell: 'unlabelled', align: 'right' },
}
const changeColumns: ItemColumns<Change> = { EVALUATION: 'id', ...verdicts, LABEL: 'label_class' }

export const backtestCommand: CommandDefinition = {
  arguments: {
    '[draft]': 'YAML or JSON: a rule, a recipe or a flow; - is standard input',
  },
  summary: 'Run a rule, a draft of a flow, or other weights over recorded evaluations.',
  example:
    'vigil backtest draft.yaml --flow Signup --from 2d\nvigil backtest --flow Signup --recipe Strict --threshold 40',
  options: {
    '--flow <flow>': idOrNameArgument(
      namedResources.flows,
      'the flow of the draft: its name or id',
    ),
    '--recipe <recipe>': idOrNameArgument(
      namedResources.recipes,
      'the recipe of the flow that the draft, the threshold or the weights are of',
    ),
    '--threshold <n>': integerOption('another threshold of the recipe', 0),
    '--weight <rule=n>': pairsOption('another weight of a rule of the recipe'),
    '--where <conditions>': 'only evaluations that fulfil them, such as "verdict = FLAG"',
    '--from <time>': timeOption(`from this time on: ${timeFormats}; a week before --to by default`),
    '--to <time>': timeOption('up to this time, not included; now by default'),
    '--lists <then|now>': {
      description: 'what lists answer: as it is on record, or asked anew',
      choices: ['then', 'now'],
      default: 'then',
    },
    '--detach': 'print the id, and do not wait for the report',
    '--resume <backtest>':
      'go on with one that did not reach its end, given what it was started with',
  },
  run: runBacktest,
}

async function runBacktest(invocation: Invocation): Promise<ExitCode> {
  const { given, print, screen } = invocation
  const job = await beginBacktest(invocation)
  if (given('--detach')) {
    print(job, () => [escapeControls(job.id)])
    return exitCodes.done
  }
  const shown = await followJob(invocation, { path, job, formatProgress, goOn })
  print(shown, () => formatReport(shown, screen))
  requireDone('backtest', { job: shown, goOn })
  return exitCodes.done
}

/** Starts one, or goes on with that of `--resume`. */
async function beginBacktest(invocation: Invocation): Promise<BacktestView> {
  const { client, given } = invocation
  const resumed = given('--resume')
  if (resumed !== undefined && (given('--from') ?? given('--to')) !== undefined) {
    throw usageError('--resume goes on in the same range of time: leave out --from and --to.')
  }
  const sources = { where: '--where', from: '--from', to: '--to', lists: '--lists' } as const
  const query = fillFields(sources, given)
  const asked = resumed === undefined ? path : `${path}/${encodePathSegment(resumed)}/resume`
  return client<BacktestView>('POST', asked, { query, body: await readTried(invocation) })
}

function formatProgress({ done, scanned }: BacktestView): string {
  return `Backtest: ${Math.floor(done * 100)} %, ${formatCount(scanned, 'evaluation')}`
}

function goOn({ id }: BacktestView) {
  return { with: `--resume ${escapeControls(id)}, and what it was started with`, facts: { id } }
}

const listColumns: ItemColumns<ListedBacktest> = {
  ID: 'id',
  STATE: 'state',
  STARTED: 'started_at',
  TRIED: 'tried',
  FLOW: { cell: 'flow_id', optional: true },
  FROM: 'from',
  TO: 'to',
  EVALUATIONS: { cell: 'scanned', align: 'right' },
}

export const backtestCommands: CommandDefinition = {
  summary: 'List backtests, show their reports, and cancel one.',
  example: 'vigil backtests list',
  commands: {
    list: {
      summary: 'The last twenty backtests, the one begun last first.',
      request: `GET ${path}`,
      list: { name: 'backtests', isPaged: false, columns: listColumns },
    },
    'show <backtest>': {
      summary: 'How far a backtest is, and its report so far.',
      request: `GET ${path}/<backtest>`,
      lines: formatBacktest,
    },
    'cancel <backtest>': {
      summary: 'End a running backtest; what it has found stays on record.',
      request: `POST ${path}/<backtest>/cancel`,
      lines: formatBacktest,
    },
  },
}

function formatBacktest(answer: object, { screen }: Invocation): readonly string[] {
  const shown = answer as BacktestView
  const { state, reason, started_at, reported_at, tried } = shown
  const why = reason === undefined ? '' : ` (${escapeControls(reason)})`
  return [
    `${escapeControls(state)}${why}: a ${escapeControls(tried)}, started ${escapeControls(started_at)}, reported ${escapeControls(reported_at)}.`,
    formatProgress(shown),
    '',
    ...formatReport(shown, screen),
  ]
}

/** The body of the request. Throws `usage` for a file that is none of a rule, a recipe and a flow. */
async function readTried(invocation: Invocation): Promise<object> {
  const { context, given } = invocation
  const file = given('<draft>')
  const flow_id = given('--flow')
  if (file === undefined) return { flow_id, ...(await readChanges(invocation)) }
  const { expression, ...content } = await readInputObject(context, file)
  if (expression !== undefined) return { expression }
  if (flow_id === undefined) throw usageError('Give the flow of the draft: --flow NAME.')
  if (content['recipes'] !== undefined) return { flow_id, draft: readDraft(content, file) }
  if (!Array.isArray(content['rules'])) {
    throw usageError(`${file} must have an expression, a list of rules, or a list of recipes.`)
  }
  return { flow_id, draft: { recipes: await placeRecipe(invocation, flow_id, content) } }
}

/** The recipes of the flow, this one in its place, or as one more. */
async function placeRecipe(
  { client, given }: Invocation,
  flow: string,
  content: JsonObject,
): Promise<readonly unknown[]> {
  const { recipes } = await client<{ readonly recipes: readonly string[] }>(
    'GET',
    `${namedResources.flows.path}/${flow}`,
  )
  const id = given('--recipe') ?? content['id']
  const draft = removeServiceFields({ ...content, status: 'LIVE' })
  if (id === undefined) return [...recipes, draft]
  if (recipes.includes(String(id))) return recipes.map((one) => (one === id ? draft : one))
  throw usageError(`The flow has no recipe ${escapeControls(String(id))}.`)
}

async function readChanges({ client, given }: Invocation): Promise<object> {
  const recipe_id = given('--recipe')
  const threshold = given<number>('--threshold')
  const pairs = Object.entries(given<Readonly<Record<string, string>>>('--weight') ?? {})
  if (recipe_id === undefined || (threshold === undefined && pairs.length === 0)) {
    throw usageError('Give a file, or --flow and --recipe with --threshold or --weight.')
  }
  const weights: object[] = []
  for (const [rule, weight] of pairs) {
    const rule_id = await resolveResourceId(client, namedResources.rules, rule)
    if (!/^-?\d{1,15}$/.test(weight)) throw usageError('--weight must be RULE=NUMBER.')
    weights.push({ rule_id, weight: Number(weight) })
  }
  return { recipe_id, threshold, ...(weights.length > 0 && { weights }) }
}

/** Verdicts that are printed. */
const shownMax = 20

function formatReport(found: BacktestReport, screen: Screen): readonly string[] {
  const { from, to, lists, evaluations, forgotten, table, by_draft, anyway, changed } = found
  const erased = forgotten > 0 ? `; ${forgotten} more with erased evidence are not judged` : ''
  const shown = changed.slice(0, shownMax)
  const more = changed.length + found.changed_more - shown.length
  return [
    `${escapeControls(from)} to ${escapeControls(to)} (UTC), lists of ${lists}: ${formatCount(evaluations, 'evaluation')}${erased}.`,
    ...(table.length === 0 ? [] : ['', ...formatItemTable(columns, table, screen)]),
    '',
    `The draft turns ${by_draft.to_flag} to FLAG, ${by_draft.to_pass} to PASS.`,
    `Without it, the flow of today turns ${anyway.to_flag} of the answers to FLAG, ${anyway.to_pass} to PASS.`,
    ...(shown.length === 0 ? [] : ['', ...formatItemTable(changeColumns, shown, screen)]),
    ...(more > 0 ? [`and ${more} more`] : []),
  ]
}
