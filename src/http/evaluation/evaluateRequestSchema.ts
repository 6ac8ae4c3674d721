/** Declares the request schemas of evaluations (spec 2.1) and predictions. */

import {
  inputLimits,
  openObject,
  optional,
  optionalFields,
  type TypeOf,
} from '../../domain/jsonSchema.ts'
import { dispatchIdSchema, extMap, signalsSchema } from '../../domain/signals/signalSchemas.ts'
import { metadataField } from '../signals/callerMetadata.ts'

const targetText = { type: 'string', maxLength: inputLimits.stringSchema } as const

export const targetSchema = {
  ...openObject(
    'EvaluationTarget',
    optionalFields({
      phone_number: { ...targetText, description: 'International form; compared as E.164.' },
      email_address: targetText,
      type: { type: 'string', enum: ['phone_number', 'email_address'] },
      value: targetText,
    }),
    {
      description:
        'The end user: phone_number, email_address or both; or one of them as type and value, for client libraries.',
    },
  ),
  anyOf: [
    { required: ['phone_number'] },
    { required: ['email_address'] },
    { required: ['type', 'value'] },
  ],
} as const

const facts = {
  description: 'Unknown fields are ignored, and listed in not_counted of the record.',
} as const

export const evaluateRequestSchema = openObject(
  'EvaluateRequest',
  {
    flow_id: { type: 'string', minLength: 1, maxLength: inputLimits.id },
    target: targetSchema,
    signals: optional(signalsSchema),
    dispatch_id: optional(dispatchIdSchema),
    attributes: optional({
      ...extMap,
      description: 'Older name of signals.ext, which wins where both have a key.',
    }),
  },
  facts,
)
/** An evaluation request as validated by its schema. */
export type EvaluateBody = TypeOf<typeof evaluateRequestSchema>

export const predictRequestSchema = openObject(
  'PredictRequest',
  {
    target: targetSchema,
    signals: optional(signalsSchema),
    dispatch_id: optional(dispatchIdSchema),
    metadata: metadataField,
  },
  facts,
)
