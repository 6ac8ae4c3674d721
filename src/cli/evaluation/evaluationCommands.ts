/** Declares `vigil eval`, `show` and `flows predict`; replays one evaluation. */

import type { ReplayAsOf } from '../../queries/evaluation/difference/replayAsOf.ts'
import type { EvaluationView } from '../../queries/evaluation/evaluationView.ts'
import type { Replay } from '../../queries/evaluation/replayEvaluation.ts'
import type { Client } from '../connecting/client.ts'
import type { CommandRow } from '../connecting/commandRow.ts'
import { type Invocation, segment } from '../connecting/invocation.ts'
import { findId } from '../connecting/nameLookup.ts'
import { kindFacts } from '../rulebook/folder/resourceFile.ts'
import { signalsOf } from '../signals/signalCommands.ts'
import { type ExitCode, exitCodes, isCliError, usageError } from '../terminal/cliError.ts'
import { collectPairs, type GivenTime, type Pairs } from '../terminal/describe.ts'
import { colourOf, printable } from '../terminal/screen.ts'
import { fieldLines } from '../terminal/table.ts'
import { comparisonLines } from './differenceCommand.ts'
import { explanationLines } from './explanationView.ts'
import { evaluationId, evaluationsPath } from './recordedEvaluations.ts'
import { type VerdictAnswer, verdictLines } from './verdictView.ts'

export const evaluationExample = 'evl_01jc0t6fwwfgfsq1md24mhyztj'
export const evaluationArgument = { '[evaluation]': 'its id, or last, which is the default' }

const pairs = (meaning: string) => ({ meaning: `${meaning}; may be repeated`, parse: collectPairs })

export const evalCommand: CommandRow = {
  usage: 'eval',
  arguments: { '<flow>': 'its name or id' },
  summary: 'Evaluate a flow and print the outcome of every rule. The evaluation is recorded.',
  example: 'vigil eval Signup --email ada90210@mailinator.com --ext shop_country=FR',
  options: {
    '--phone <number>': 'phone number of the end user',
    '--email <address>': 'email address of the end user',
    '--dispatch <id>': 'dispatch of the front end',
    '--signal <name=value>': pairs('a signal'),
    '--ext <name=value>': pairs('a signal of your own'),
    '--explain': 'print why, as show does (needs the scope analyse)',
    '--exit-code': `end with ${exitCodes.flagged} for FLAG`,
  },
  run: evaluate,
}

export const showCommand: CommandRow = {
  usage: 'show',
  arguments: evaluationArgument,
  summary: 'Show why a recorded evaluation came out as it did.',
  example: `vigil show ${evaluationExample} --expressions`,
  options: {
    '--expressions': 'also the value of every sub-expression',
    '--verbose': 'also versions, the position in the log and the hash of the result',
  },
  run: show,
}

interface EvalOptions {
  readonly phone?: string
  readonly email?: string
  readonly dispatch?: string
  readonly signal?: Pairs
  readonly ext?: Pairs
  readonly explain?: boolean
  readonly exitCode?: boolean
}

interface ShowOptions {
  readonly expressions?: boolean
  readonly verbose?: boolean
}

async function evaluate(
  invocation: Invocation,
  options: EvalOptions,
  flow = '',
): Promise<ExitCode> {
  const { phone, email, dispatch } = options
  if (phone === undefined && email === undefined) {
    throw usageError('Name the end user: --phone, --email or both.')
  }
  const client = await invocation.client()
  const body = {
    flow_id: await findId(client, kindFacts.flows, flow),
    target: { phone_number: phone, email_address: email },
    signals: signalsOf(options.signal, options.ext),
    dispatch_id: dispatch,
  }
  const answered = await client<VerdictAnswer>('POST', '/v2/watch/eval', { body })
  const answer = answered.body
  if (options.explain) await printEvaluation(invocation, client, { id: answer.id })
  else await printVerdict(invocation, client, answer)
  return options.exitCode && answer.verdict === 'FLAG' ? exitCodes.flagged : exitCodes.done
}

/** Prints the answer unchanged with `--json`; else with the names that its record has. */
async function printVerdict(
  invocation: Invocation,
  client: Client,
  answer: VerdictAnswer,
): Promise<void> {
  const shown = invocation.flags.json ? answer : await recordOf(invocation, client, answer)
  invocation.print(answer, () => verdictLines(shown, invocation.screen))
}

async function show(
  invocation: Invocation,
  options: ShowOptions,
  asked?: string,
): Promise<undefined> {
  const client = await invocation.client()
  const id = await evaluationId(client, asked)
  await printEvaluation(invocation, client, { id, ...options })
}

interface Shown extends ShowOptions {
  readonly id: string
}

async function printEvaluation(
  { print, paint }: Invocation,
  client: Client,
  { id, expressions, verbose = false }: Shown,
): Promise<void> {
  const { body } = await client<EvaluationView>('GET', `${evaluationsPath}/${segment(id)}`, {
    query: { explain: expressions ? 'expressions' : undefined },
  })
  print(body, () => explanationLines(body, { paint, verbose }))
}

interface ReplayOneOptions {
  readonly asOf?: GivenTime
}

/** Replays an evaluation, the last one unless given, and prints what differs. */
export async function replayOne(
  invocation: Invocation,
  { asOf }: ReplayOneOptions,
  asked?: string,
): Promise<ExitCode> {
  const client = await invocation.client()
  const path = `${evaluationsPath}/${segment(await evaluationId(client, asked))}/replay`
  if (asOf) {
    const body = { as_of: asOf(invocation.context.nowMs()) }
    return printAsOf(invocation, (await client<ReplayAsOf>('POST', path, { body })).body)
  }
  return printReplay(invocation, (await client<Replay>('POST', path)).body)
}

function printReplay({ print, paint }: Invocation, answer: Replay): ExitCode {
  const isSame = answer.result === 'MATCH'
  print(answer, () => [
    paint(isSame ? 'green' : 'red', printable(answer.result)),
    ...answer.differences.flatMap(({ path, recorded, recomputed }) => [
      `  ${printable(path)}`,
      `    recorded    ${textOf(recorded)}`,
      `    recomputed  ${textOf(recomputed)}`,
    ]),
  ])
  return isSame ? exitCodes.done : exitCodes.differences
}

/** Prints what is on record beside what would have been answered, and what makes the difference. */
function printAsOf({ print, paint }: Invocation, answer: ReplayAsOf): ExitCode {
  const { recorded, recomputed, as_of } = answer
  const lines = (
    title: string,
    { verdict, recipes }: ReplayAsOf['recorded'],
  ): readonly string[] => [
    `${title}  ${paint(colourOf(verdict), printable(verdict))}`,
    ...recipes.map(({ recipe_id, name = recipe_id, score, threshold, verdict: of }) =>
      printable(`  ${of}  ${name}  ${score} of ${threshold}`),
    ),
  ]
  print(answer, () => [
    ...lines('recorded', recorded),
    ...lines(printable(`as of ${as_of}`), recomputed),
    ...comparisonLines(answer, paint),
  ])
  return recorded.verdict === recomputed.verdict ? exitCodes.done : exitCodes.differences
}

function textOf(value: unknown): string {
  return value === undefined ? 'nothing' : printable(JSON.stringify(value))
}

/**
 * The record; else the answer, with the reason on stderr, since a token that evaluates may not be allowed to read.
 */
async function recordOf(
  { context }: Pick<Invocation, 'context'>,
  client: Client,
  answer: VerdictAnswer,
): Promise<VerdictAnswer> {
  try {
    const { body } = await client<EvaluationView>('GET', `${evaluationsPath}/${segment(answer.id)}`)
    return body
  } catch (thrown) {
    if (!isCliError(thrown)) throw thrown
    const why = printable(thrown.message)
    context.stderr.write(`Printed without names, because the record could not be read: ${why}\n`)
    return answer
  }
}

const path = '/v2/watch/management/predict'

export const predictionCommand: CommandRow = {
  usage: 'predict [flow]',
  summary:
    'Set which flow answers predictions (POST /v2/watch/predict), by its id or name; without one, print it.',
  example: 'vigil flows predict Signup',
  options: { '--clear': 'let no flow answer' },
  run: predict,
}

async function predict(
  { client: clientOf, print }: Invocation,
  { clear = false }: { readonly clear?: boolean },
  ...[flow]: readonly (string | undefined)[]
): Promise<undefined> {
  if (clear && flow !== undefined) throw usageError('Give a flow, or --clear.')
  const client = await clientOf()
  if (clear) {
    await client('DELETE', path)
    print({}, () => ['No flow answers predictions.'])
    return
  }
  const { body } =
    flow === undefined
      ? await client('GET', path)
      : await client('PUT', path, {
          body: { flow_id: await findId(client, kindFacts.flows, flow) },
        })
  print(body, () => fieldLines(body))
}
