/** The error objects (spec 7). */

import type { FailureDetail } from '../../domain/failure.ts'
import { optional, viewSchema } from './fields.ts'
import type { Schema } from './schema.ts'

interface ErrorBody {
  readonly code: string
  readonly message: string
  readonly type: string
  readonly request_id?: string
  readonly param?: string
  readonly details?: readonly FailureDetail[]
}

const errorDetail: Schema = viewSchema<FailureDetail>('ErrorDetail', {
  path: { type: 'string', description: 'The offending field; empty for the body as a whole.' },
  message: { type: 'string' },
  line: optional({
    type: 'integer',
    minimum: 1,
    description: 'Of a mistake in a rule: the line of its text, from 1.',
  }),
  column: optional({
    type: 'integer',
    minimum: 1,
    description: 'The character of the line with which the mistake begins, from 1.',
  }),
  length: optional({
    type: 'integer',
    minimum: 1,
    description: 'How many characters of the line are at fault.',
  }),
})

export const errorSchema: Schema = viewSchema<ErrorBody>('Error', {
  code: { type: 'string' },
  message: { type: 'string' },
  type: { type: 'string' },
  request_id: optional({ type: 'string' }),
  param: optional({ type: 'string' }),
  details: optional({ type: 'array', items: errorDetail }),
})

interface SessionErrorBody {
  readonly code: string
  readonly type: string
  readonly message?: string
}

export const sessionErrorSchema: Schema = viewSchema<SessionErrorBody>('SessionError', {
  code: { type: 'string' },
  type: { type: 'string' },
  message: optional({ type: 'string', description: 'For people.' }),
})

interface MigrationErrorBody {
  readonly code: string
  readonly status: string
  readonly message: string
}

export const migrationErrorSchema: Schema = viewSchema<MigrationErrorBody>('MigrationConfigError', {
  code: { type: 'string' },
  status: { type: 'string' },
  message: { type: 'string' },
})
