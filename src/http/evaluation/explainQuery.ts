/** How far an explanation is asked to go. */

import type { ExplanationDetail } from '../../service/evaluation/evaluationPart.ts'
import type { QueryReader } from '../request/queryReader.ts'

/** `explain`: how far the explanation goes. */
export const explainQuery: QueryReader<ExplanationDetail> = {
  parameters: [
    {
      name: 'explain',
      description: 'What each rule read (`rules`), or also the value of every sub-expression.',
      schema: { type: 'string', enum: ['rules', 'expressions'], default: 'rules' },
    },
  ],
  read: ({ explain = 'rules' }, details) => {
    if (explain === 'rules' || explain === 'expressions') return explain
    details.push({ path: 'explain', message: 'Must be one of: rules, expressions.' })
    return 'rules'
  },
}
