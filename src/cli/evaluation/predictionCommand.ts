/** Adds `vigil flows predict`: shows, sets or clears the flow that answers predictions. */

import type { Command } from 'commander'
import { type Invocation, type Run, serve } from '../connecting/invocation.ts'
import { resourceId } from '../rulebook/resourceId.ts'
import { usageError } from '../terminal/cliError.ts'
import { describe } from '../terminal/describe.ts'
import { fieldLines } from '../terminal/table.ts'

const path = '/v2/watch/management/predict'

/** Adds `predict` to `vigil flows`. */
export function addPredictionCommand(flows: Command, run: Run): void {
  describe(flows, {
    usage: 'predict [flow]',
    summary:
      'Say which flow answers predictions (POST /v2/watch/predict), by its id or name; without one, print it.',
    example: 'vigil flows predict Signup',
  })
    .option('--clear', 'have none answer')
    .action(serve<{ readonly clear?: boolean }>(run, predict))
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
          body: { flow_id: await resourceId(client, { kind: 'flows' }, flow) },
        })
  print(body, () => fieldLines(body))
}
