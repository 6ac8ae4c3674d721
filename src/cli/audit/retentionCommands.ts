/** Adds `vigil retention`: sets, shows and ends the retention of evaluation evidence. */

import { type Command, InvalidArgumentError } from 'commander'
import { type Invocation, type Run, serve } from '../connecting/invocation.ts'
import type { ExitCode } from '../terminal/cliError.ts'
import { describe } from '../terminal/describe.ts'
import { fieldLines } from '../terminal/table.ts'

const path = '/v2/watch/retention'

/** Adds `retention`. */
export function addRetentionCommands(program: Command, run: Run): void {
  const retention = describe(program, {
    usage: 'retention',
    summary: 'Say how long the evidence of evaluations is kept.',
    example: 'vigil retention set --evaluations 400d',
  })
  describe(retention, {
    usage: 'set',
    summary: 'Erase the evidence of older evaluations, from now on; verdicts and statistics stay.',
    example: 'vigil retention set --evaluations 400d',
  })
    .requiredOption('--evaluations <days>', 'for how many days, such as 400d', days)
    .action(serve<SetOptions>(run, setRetention))
  describe(retention, {
    usage: 'show',
    summary: 'Show for how long it is kept, and what was erased.',
    example: 'vigil retention show',
  }).action(serve(run, showRetention))
  describe(retention, {
    usage: 'off',
    summary: 'Keep evidence for ever from now on; what was erased stays erased.',
    example: 'vigil retention off',
  }).action(serve(run, endRetention))
}

interface SetOptions {
  readonly evaluations: number
}

type Done = Promise<ExitCode | undefined>

function days(given: string): number {
  const count = /^(\d{1,5})d$/.exec(given)?.[1]
  if (count !== undefined) return Number(count)
  throw new InvalidArgumentError('Must be days such as 400d.')
}

async function setRetention(invocation: Invocation, { evaluations }: SetOptions): Done {
  const client = await invocation.client()
  const { body } = await client('PUT', path, { body: { evaluations_days: evaluations } })
  invocation.print(body, () => fieldLines(body))
  return undefined
}

async function showRetention(invocation: Invocation): Done {
  const client = await invocation.client()
  const { body } = await client('GET', path)
  const isOff = body['evaluations_days'] === undefined
  const lines = isOff ? ['Evidence is kept for ever.'] : []
  invocation.print(body, () => [...lines, ...fieldLines(body)])
  return undefined
}

async function endRetention(invocation: Invocation): Done {
  const client = await invocation.client()
  await client('DELETE', path)
  invocation.print({ retention: 'off' }, () => ['Evidence is kept for ever from now on.'])
  return undefined
}
