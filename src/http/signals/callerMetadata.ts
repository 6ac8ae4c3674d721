/** Reads the caller's metadata of a body (`metadata.correlation_id`). */

import { openObject, optional, type TypeOf } from '../../domain/schema.ts'

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
