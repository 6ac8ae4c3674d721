/** Declares `vigil eval`, `show`, `flows predict`, `evaluations difference`; replays one. */

import type {
  DifferenceView,
  EvaluationComparison,
  EvaluationDifference,
} from '../../queries/evaluation/difference/evaluationDifference.ts'
import type { ReplayAsOfView } from '../../queries/evaluation/difference/replayAsOf.ts'
import type { EvaluationView } from '../../queries/evaluation/evaluationView.ts'
import type { ReplayResult } from '../../queries/evaluation/replayEvaluation.ts'
import type { Client } from '../connecting/client.ts'
import {
  type CommandDefinition,
  fillFields,
  type ReadParameter,
} from '../connecting/commandDefinition.ts'
import { encodePathSegment, type Invocation } from '../connecting/invocation.ts'
import { requireEntries } from '../connecting/pagination.ts'
import { idOrNameArgument, namedResources, resolveResourceId } from '../connecting/resourceId.ts'
import { parseSignals } from '../signals/signalCommands.ts'
import {
  createCliError,
  type ExitCode,
  exitCodes,
  isCliError,
  usageError,
} from '../terminal/cliError.ts'
import { pairsOption, type ValuesByName } from '../terminal/optionValues.ts'
import {
  chooseColour,
  escapeControls,
  formatJsonOnLine,
  formatValueChange,
  type Paint,
} from '../terminal/screen.ts'
import { formatFields } from '../terminal/table.ts'
import { formatExplanation } from './explanationView.ts'
import { formatVerdict, type PrintedVerdict } from './verdictView.ts'

/** Recorded evaluations in the API. */
export const evaluationsPath = '/v2/watch/evaluations'

/** The id as given; the newest evaluation of the account for `last`. Throws `not_found` while there is none. */
async function resolveEvaluationId(client: Client, asked = 'last'): Promise<string> {
  if (asked !== 'last') return asked
  const answer = await client('GET', evaluationsPath, { query: { limit: 1 } })
  const [newest] = requireEntries(answer, 'evaluations')
  if (newest) return String(newest['id'])
  throw createCliError('There is no evaluation yet.', exitCodes.refused, {
    code: 'not_found',
    hint: 'Make one with: vigil eval FLOW --phone NUMBER',
  })
}

export const exampleEvaluationId = 'evl_01jc0t6fwwfgfsq1md24mhyztj'

export const targetOptions = {
  '--phone <number>': 'phone number of the end user',
  '--email <address>': 'email address of the end user',
} as const

export const signalOptions = {
  '--signal <name=value>': pairsOption('a signal'),
  '--ext <name=value>': pairsOption('a signal of your own'),
} as const

/** The fields of a request with these options. */
export const targetAndSignalFields = {
  target: { phone_number: '--phone', email_address: '--email' },
  signals: (given: ReadParameter) =>
    parseSignals(given<ValuesByName>('--signal'), given<ValuesByName>('--ext')),
} as const

/** Throws `usage` without a phone number or email address. */
export function assertTarget({ given }: Invocation): void {
  if (given('--phone') !== undefined || given('--email') !== undefined) return
  throw usageError('Name the end user: --phone, --email or both.')
}

export function chooseVerdictExitCode(
  { verdict }: { readonly verdict: string },
  given: ReadParameter,
): ExitCode {
  return given('--exit-code') && verdict === 'FLAG' ? exitCodes.flagged : exitCodes.done
}

export const evalCommand: CommandDefinition = {
  arguments: { '<flow>': idOrNameArgument(namedResources.flows, 'its name or id') },
  summary: 'Evaluate a flow and print the outcome of every rule. The evaluation is recorded.',
  example: 'vigil eval Signup --email ada90210@mailinator.com --ext shop_country=FR',
  options: {
    ...targetOptions,
    '--dispatch <id>': 'dispatch of the front end',
    ...signalOptions,
    '--explain': 'print why, as show does (needs the scope analyse)',
    '--exit-code': `end with ${exitCodes.flagged} for FLAG`,
  },
  check: assertTarget,
  run: evaluate,
}

async function evaluate(invocation: Invocation): Promise<ExitCode> {
  const { client, flags, given, print } = invocation
  const fields = { flow_id: '<flow>', ...targetAndSignalFields, dispatch_id: '--dispatch' } as const
  const asked = { body: fillFields(fields, given) }
  const answer = await client<PrintedVerdict>('POST', '/v2/watch/eval', asked)
  if (given('--explain')) {
    const record = await fetchRecord(client, answer)
    print(record, () => formatExplanation(record, { ...invocation, verbose: false }))
  } else {
    const named = flags.json ? answer : await fetchNames(invocation, answer)
    print(answer, () => formatVerdict(named, invocation.screen))
  }
  return chooseVerdictExitCode(answer, given)
}

function fetchRecord(client: Client, { id }: PrintedVerdict): Promise<EvaluationView> {
  return client('GET', `${evaluationsPath}/${encodePathSegment(id)}`)
}

/** The record; else the answer, with the reason on stderr, since a token that evaluates may not be allowed to read. */
async function fetchNames(
  { client, context }: Invocation,
  answer: PrintedVerdict,
): Promise<PrintedVerdict> {
  try {
    return await fetchRecord(client, answer)
  } catch (thrown) {
    if (!isCliError(thrown)) throw thrown
    const why = escapeControls(thrown.message)
    context.stderr.write(`Printed without names, because the record could not be read: ${why}\n`)
    return answer
  }
}

export const showCommand: CommandDefinition = {
  arguments: {
    '[evaluation]': {
      description: 'its id, or last, which is the default',
      resolveId: resolveEvaluationId,
    },
  },
  summary: 'Show why a recorded evaluation came out as it did.',
  example: `vigil show ${exampleEvaluationId} --expressions`,
  options: {
    '--expressions': 'also the value of every sub-expression',
    '--verbose': 'also versions, the position in the log and the hash of the result',
  },
  request: `GET ${evaluationsPath}/<evaluation>`,
  query: { explain: (given) => given('--expressions') && 'expressions' },
  lines: (answer: EvaluationView, { given, paint }) =>
    formatExplanation(answer, { paint, verbose: given('--verbose') !== undefined }),
}

export const differenceCommand: CommandDefinition = {
  arguments: {
    '<a>': { description: 'an evaluation: its id, or last', resolveId: resolveEvaluationId },
    '<b>': { description: 'another one', resolveId: resolveEvaluationId },
  },
  summary:
    'Print why two evaluations differ: what turns one verdict into the other, then the rest.',
  request: `GET ${evaluationsPath}/<a>/difference`,
  query: { with: '<b>' },
  lines: ({ a, b, ...comparison }: EvaluationDifference, { paint }) => [
    ...[a, b].map(
      ({ verdict, id, evaluated_at }) =>
        `${paint(chooseColour(verdict), verdict)}  ${escapeControls(`${id}  ${evaluated_at}`)}`,
    ),
    ...formatDifferences(comparison, paint),
  ],
}

/** The causes, each with the differences that it takes, and the other differences. */
function formatDifferences(
  { causes, others }: EvaluationComparison,
  paint: Paint,
): readonly string[] {
  if (causes.length === 0 && others.length === 0) return ['Nothing differs.']
  return [
    ...causes.flatMap(({ differences }) => [
      paint('bold', differences.length === 1 ? 'Turns the verdict:' : 'Turn the verdict together:'),
      ...differences.map((one) => formatDifference(one, paint)),
    ]),
    ...(others.length > 0 ? [paint('bold', causes.length > 0 ? 'Also:' : 'Differs:')] : []),
    ...others.map((one) => formatDifference(one, paint)),
  ]
}

function formatDifference(difference: DifferenceView, paint: Paint): string {
  const { kind, recipe_id, recipe_name, rule_id, rule_name, name, a, b } = difference
  const of = [name, formatNameOrId(recipe_id, recipe_name), formatNameOrId(rule_id, rule_name)]
  const words = [kind.replace('_', ' '), ...of.filter((word) => word !== undefined)]
  const change = a === undefined && b === undefined ? 'another' : formatValueChange(a, b, paint)
  return `  ${escapeControls(words.join('  '))}  ${change}`
}

function formatNameOrId(id: string | undefined, name: string | undefined): string | undefined {
  return name === undefined ? id : JSON.stringify(name)
}

/** Replays an evaluation, the last one unless given, and prints what differs. */
export async function replayOneEvaluation(invocation: Invocation): Promise<ExitCode> {
  const { client, given } = invocation
  const id = await resolveEvaluationId(client, given('<evaluation>'))
  const path = `${evaluationsPath}/${encodePathSegment(id)}/replay`
  const asOf = given('--as-of')
  if (asOf === undefined) return printReplay(invocation, await client<ReplayResult>('POST', path))
  return printAsOf(invocation, await client('POST', path, { body: { as_of: asOf } }))
}

function printReplay({ print, paint }: Invocation, answer: ReplayResult): ExitCode {
  const isSame = answer.result === 'MATCH'
  print(answer, () => [
    paint(isSame ? 'green' : 'red', escapeControls(answer.result)),
    ...answer.differences.flatMap(({ path, recorded, recomputed }) => [
      `  ${escapeControls(path)}`,
      `    recorded    ${formatJsonOnLine(recorded)}`,
      `    recomputed  ${formatJsonOnLine(recomputed)}`,
    ]),
  ])
  return isSame ? exitCodes.done : exitCodes.verdictsDiffer
}

/** Prints what is on record beside what would have been answered, and what makes the difference. */
function printAsOf({ print, paint }: Invocation, answer: ReplayAsOfView): ExitCode {
  const { recorded, recomputed, as_of } = answer
  const lines = (
    title: string,
    { verdict, recipes }: ReplayAsOfView['recorded'],
  ): readonly string[] => [
    `${title}  ${paint(chooseColour(verdict), verdict)}`,
    ...recipes.map(({ recipe_id, name = recipe_id, score, threshold, verdict: of }) =>
      escapeControls(`  ${of}  ${name}  ${score} of ${threshold}`),
    ),
  ]
  print(answer, () => [
    ...lines('recorded', recorded),
    ...lines(escapeControls(`as of ${as_of}`), recomputed),
    ...formatDifferences(answer, paint),
  ])
  return recorded.verdict === recomputed.verdict ? exitCodes.done : exitCodes.verdictsDiffer
}

export const predictionFlowCommand: CommandDefinition = {
  summary:
    'Set which flow answers predictions (POST /v2/watch/predict), by its id or name; without one, print it.',
  example: 'vigil flows predict Signup',
  options: { '--clear': 'let no flow answer' },
  run: predict,
}

async function predict({ client, given, print }: Invocation): Promise<undefined> {
  const path = '/v2/watch/management/predict'
  const [flow, clear] = [given('<flow>'), given('--clear')]
  if (clear && flow !== undefined) throw usageError('Give a flow, or --clear.')
  if (clear) {
    await client('DELETE', path)
    print({}, () => ['No flow answers predictions.'])
    return
  }
  const set = async (name: string) => {
    const flow_id = await resolveResourceId(client, namedResources.flows, name)
    return client('PUT', path, { body: { flow_id } })
  }
  const body = await (flow === undefined ? client('GET', path) : set(flow))
  print(body, () => formatFields(body))
}
