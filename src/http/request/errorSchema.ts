/** The error object (spec 7.1). */

import { answeredObject, type Schema } from './schema.ts'

const errorDetail: Schema = answeredObject('ErrorDetail', {
  path: { type: 'string', description: 'The offending field; empty for the body as a whole.' },
  message: { type: 'string' },
})

export const errorSchema: Schema = answeredObject(
  'Error',
  {
    code: { type: 'string' },
    message: { type: 'string' },
    type: { type: 'string' },
    request_id: { type: 'string' },
    param: { type: 'string' },
    details: { type: 'array', items: errorDetail },
  },
  ['code', 'message', 'type'],
)
