/** Declares the request schemas of evaluations (spec 2.1) and predictions. */

import type { EvaluationRequest } from '../../commands/evaluation/gatherEvidence.ts'
import type { PredictionRequest } from '../../commands/evaluation/predict.ts'
import { limits, optional, optionalFields, type Schema } from '../../domain/schema.ts'
import type { GivenExt, GivenSignals } from '../../domain/signals/signalSchemas.ts'
import { dispatchIdSchema, extMap, signalsSchema } from '../../domain/signals/signalSchemas.ts'
import { lenientSchema } from '../request/schema/fields.ts'
import { type CallerMetadata, metadataField } from '../signals/callerMetadata.ts'
import type { GivenTarget } from './evalRequest.ts'

/** An evaluation request as validated by its schema. */
export interface EvaluateBody
  extends Omit<EvaluationRequest, 'target' | 'signals' | 'notCounted' | 'correlation_id'> {
  readonly target: GivenTarget
  readonly signals?: GivenSignals
  readonly attributes?: GivenExt
}

const targetText: Schema = { type: 'string', maxLength: limits.text }

export const targetSchema: Schema = {
  ...lenientSchema<GivenTarget>(
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
}

export const evaluateRequestSchema: Schema = lenientSchema<EvaluateBody>(
  'EvaluateRequest',
  {
    flow_id: { type: 'string', minLength: 1, maxLength: limits.id },
    target: targetSchema,
    signals: optional(signalsSchema),
    dispatch_id: optional(dispatchIdSchema),
    attributes: optional({
      ...extMap,
      description: 'Older name of signals.ext, which wins where both have a key.',
    }),
  },
  {
    description:
      'Fields that are not named here are ignored, and noted in not_counted of the record.',
  },
)

/** A prediction request as validated by its schema. */
export interface PredictBody
  extends Omit<PredictionRequest, 'target' | 'signals' | 'correlation_id' | 'notCounted'>,
    Pick<EvaluateBody, 'target' | 'signals'>,
    CallerMetadata {}

export const predictRequestSchema: Schema = lenientSchema<PredictBody>(
  'PredictRequest',
  {
    target: targetSchema,
    signals: optional(signalsSchema),
    dispatch_id: optional(dispatchIdSchema),
    metadata: metadataField,
  },
  {
    description:
      'Fields that are not named here are ignored, and noted in not_counted of the record.',
  },
)
