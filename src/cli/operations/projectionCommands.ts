/** Adds `vigil projections`: lists projections and retries their parked events (operator). */

import type { Command } from 'commander'
import type { ProjectionView, RetryView } from '../../queries/operations/projections.ts'
import { type Invocation, type Run, segment, serve } from '../connecting/invocation.ts'
import { entriesOf } from '../connecting/search.ts'
import { describe, refuseWord } from '../terminal/describe.ts'
import { projectionLines, retryLines } from './projectionsView.ts'

const path = '/v2/operator/projections'

/** Adds `projections`. */
export function addProjectionCommands(program: Command, run: Run): void {
  const projections = describe(program, {
    usage: 'projections',
    summary: 'Show how far the projections are and what they have parked (operator).',
    example: 'vigil projections',
  })
  const show = serve(run, listProjections)
  projections.allowExcessArguments().action(async (...received: readonly unknown[]) => {
    const [word] = projections.args
    if (word !== undefined) refuseWord(projections, word)
    await show(...received)
  })
  describe(projections, {
    usage: 'retry <name>',
    summary: 'Apply the parked events of a projection again; doing so twice is no error.',
    example: 'vigil projections retry evaluations',
  }).action(serve(run, retryProjection))
}

async function listProjections({ client, print, screen }: Invocation): Promise<undefined> {
  const { body } = await (await client('operator'))('GET', path)
  const projections = entriesOf<ProjectionView>(body, 'projections')
  print(body, () => projectionLines(projections, screen))
}

async function retryProjection(
  { client, print, screen }: Invocation,
  _: object,
  name = '',
): Promise<undefined> {
  const { body } = await (await client('operator'))<RetryView>(
    'POST',
    `${path}/${segment(name)}/retry`,
  )
  print(body, () => retryLines(body, screen))
}
