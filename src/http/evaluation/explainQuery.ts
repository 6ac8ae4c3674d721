/** How far an explanation is asked to go. */

import { invalidRequest } from '../../domain/failure.ts'
import type { ExplanationDetail } from '../../service/evaluation/evaluationPart.ts'
import type { QueryReader } from '../request/queryReader.ts'

/** `explain`: how far the explanation goes. Throws `invalid_request`. */
export const explainQuery: QueryReader<ExplanationDetail> = {
  parameters: [
    {
      name: 'explain',
      description: 'What each rule read (`rules`), or also the value of every sub-expression.',
      schema: { type: 'string', enum: ['rules', 'expressions'], default: 'rules' },
    },
  ],
  read: (ctx) => {
    const { explain: given = 'rules' } = ctx.query
    if (given === 'rules' || given === 'expressions') return given
    throw invalidRequest([{ path: 'explain', message: 'Must be rules or expressions.' }])
  },
}
