/** A recorded evaluation, and what computing it again gives. */

import { verdictSchema } from './evaluateResponse.ts'
import { answeredObject, type Schema } from './schema.ts'

const anything: Schema = {}

export const evaluationSchema: Schema = {
  ...answeredObject(
    'Evaluation',
    {
      id: { type: 'string' },
      flow_id: { type: 'string' },
      verdict: verdictSchema,
    },
    ['id'],
  ),
  additionalProperties: anything,
}

const difference: Schema = answeredObject(
  'ReplayDifference',
  {
    path: { type: 'string' },
    recorded: { description: 'The value in the record.' },
    recomputed: { description: 'The value that came out now.' },
  },
  ['path'],
)

export const replaySchema: Schema = answeredObject('Replay', {
  result: { type: 'string', enum: ['MATCH', 'MISMATCH'] },
  differences: { type: 'array', items: difference },
})
