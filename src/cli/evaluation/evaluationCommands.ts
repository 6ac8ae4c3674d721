/** Adds `vigil eval` and `vigil show`, and replays one evaluation. */

import type { Command } from 'commander'
import type { EvaluationView } from '../../queries/evaluation/evaluationView.ts'
import type { Replay } from '../../queries/evaluation/replayEvaluation.ts'
import type { Client } from '../connecting/client.ts'
import { type Invocation, type Run, segment, serve } from '../connecting/invocation.ts'
import { resourceId } from '../rulebook/resourceId.ts'
import { signalsOf } from '../signals/signalOptions.ts'
import { type ExitCode, exitCodes, isCliError, usageError } from '../terminal/cliError.ts'
import { collectPairs, describe, type Pairs } from '../terminal/describe.ts'
import { printable } from '../terminal/screen.ts'
import type { VerdictAnswer } from './answers.ts'
import { evaluationId, evaluationsPath } from './evaluationId.ts'
import { explanationLines } from './explanationView.ts'
import { verdictLines } from './verdictView.ts'

export const evaluationExample = 'evl_01jc0t6fwwfgfsq1md24mhyztj'
export const evaluationTaken = { '[evaluation]': 'its id, or last, which is the default' }

/** Adds `eval`. */
export function addEvalCommand(program: Command, run: Run): void {
  describe(program, {
    usage: 'eval',
    takes: { '<flow>': 'its name or id' },
    summary: 'Evaluate a flow and print what every rule gave. The evaluation is recorded.',
    example: 'vigil eval Signup --email ada90210@mailinator.com --ext shop_country=FR',
  })
    .option('--phone <number>', 'phone number of the end user')
    .option('--email <address>', 'email address of the end user')
    .option('--dispatch <id>', 'dispatch of the front end')
    .option('--signal <name=value>', 'a signal; may be repeated', collectPairs)
    .option('--ext <name=value>', 'a signal of your own; may be repeated', collectPairs)
    .option('--explain', 'print why, as show does (needs the scope analyse)')
    .option('--exit-code', `end with ${exitCodes.flagged} for FLAG`)
    .action(serve<EvalOptions>(run, evaluate))
}

/** Adds `show`. */
export function addShowCommand(program: Command, run: Run): void {
  describe(program, {
    usage: 'show',
    takes: evaluationTaken,
    summary: 'Show why a recorded evaluation came out as it did.',
    example: `vigil show ${evaluationExample} --expressions`,
  })
    .option('--expressions', 'also the value of every sub-expression')
    .option('--verbose', 'also versions, the position in the log and the hash of the result')
    .action(serve<ShowOptions>(run, show))
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
    throw usageError('Say who is evaluated: --phone, --email or both.')
  }
  const client = await invocation.client()
  const body = {
    flow_id: await resourceId(client, { kind: 'flows' }, flow),
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

/** With `--json` the answer as it is; for people with what the record says of it. */
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

/** Replays an evaluation, the last one unless given, and prints what differs. */
export async function replayOne(invocation: Invocation, asked?: string): Promise<ExitCode> {
  const { print, paint } = invocation
  const client = await invocation.client()
  const id = await evaluationId(client, asked)
  const { body: answer } = await client<Replay>('POST', `${evaluationsPath}/${segment(id)}/replay`)
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

function textOf(value: unknown): string {
  return value === undefined ? 'nothing' : printable(JSON.stringify(value))
}

/**
 * The record; the answer alone when the record cannot be read, since the verdict is there whatever comes after it. Why it cannot is said
 * beside the result: a token that evaluates need not be one that reads.
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
    context.stderr.write(`Shown without names, for the record could not be read: ${why}\n`)
    return answer
  }
}
