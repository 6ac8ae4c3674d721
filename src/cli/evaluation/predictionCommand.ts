/** Declares `vigil flows predict`: shows, sets or clears the flow that answers predictions. */

import type { CommandRow } from '../connecting/commandRow.ts'
import type { Invocation } from '../connecting/invocation.ts'
import { findId } from '../connecting/nameLookup.ts'
import { kindFacts } from '../rulebook/folder/kind.ts'
import { usageError } from '../terminal/cliError.ts'
import { fieldLines } from '../terminal/table.ts'

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
