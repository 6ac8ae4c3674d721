/** Declares the caller's metadata field of a body and reads its correlation id. */

import { openObject, optional, type TypeOf } from '../../domain/jsonSchema.ts'

const correlationMax = 64

/** The schema of the `metadata` field. */
export const metadataField = optional(
  openObject('CallerMetadata', {
    correlation_id: optional({
      type: 'string',
      maxLength: correlationMax,
      description: "The caller's id of the verification; an empty one counts as omitted.",
    }),
  }),
)

/** A body that may have metadata. */
export interface BodyWithMetadata {
  readonly metadata?: TypeOf<(typeof metadataField)['mayBeAbsent']>
}

/** The correlation id; absent when it was not sent or empty. */
export function readCorrelationId({ metadata }: BodyWithMetadata): {
  readonly correlation_id?: string
} {
  const correlation_id = metadata?.correlation_id ?? ''
  return correlation_id === '' ? {} : { correlation_id }
}
