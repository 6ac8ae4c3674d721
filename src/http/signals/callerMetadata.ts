/** Reads the caller's metadata of a body (`metadata.correlation_id`). */

import { optional } from '../../domain/schema.ts'
import { lenientSchema } from '../request/schema/fields.ts'

const correlationMax = 64

/** A body that may have metadata. */
export interface CallerMetadata {
  readonly metadata?: { readonly correlation_id?: string }
}

/** The schema of the `metadata` field. */
export const metadataField = optional(
  lenientSchema<NonNullable<CallerMetadata['metadata']>>('CallerMetadata', {
    correlation_id: optional({
      type: 'string',
      maxLength: correlationMax,
      description: 'What the caller knows the verification by; an empty one counts as omitted.',
    }),
  }),
)

/** The correlation id; absent when it was not sent or empty. */
export function readCorrelation({ metadata }: CallerMetadata): {
  readonly correlation_id?: string
} {
  const correlation_id = metadata?.correlation_id ?? ''
  return correlation_id === '' ? {} : { correlation_id }
}
