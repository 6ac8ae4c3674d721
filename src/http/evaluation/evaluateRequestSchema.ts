/** The request of an evaluation (spec 2.1), also in the form that released client libraries send. */

import { limits, type Schema } from '../request/schema.ts'
import { signalsSchema, textMap } from '../signals/signalSchemas.ts'

const targetText: Schema = { type: 'string', maxLength: limits.text }

export const targetSchema: Schema = {
  title: 'EvaluationTarget',
  type: 'object',
  description:
    'The end user: phone_number, email_address or both; or one of them as type and value, for client libraries.',
  properties: {
    phone_number: { ...targetText, description: 'International form; compared as E.164.' },
    email_address: targetText,
    type: { type: 'string', enum: ['phone_number', 'email_address'] },
    value: targetText,
  },
  anyOf: [
    { required: ['phone_number'] },
    { required: ['email_address'] },
    { required: ['type', 'value'] },
  ],
}

export const evaluateRequestSchema: Schema = {
  title: 'EvaluateRequest',
  type: 'object',
  description: 'Fields that are not named here are ignored.',
  properties: {
    flow_id: { type: 'string', minLength: 1, maxLength: limits.id },
    target: targetSchema,
    signals: signalsSchema,
    dispatch_id: {
      type: 'string',
      minLength: 36,
      maxLength: 36,
      description: 'Identifier of a dispatch from the front-end SDK.',
    },
    attributes: {
      ...textMap,
      description: 'Older name of signals.ext, which wins where both have a key.',
    },
  },
  required: ['flow_id', 'target'],
}
