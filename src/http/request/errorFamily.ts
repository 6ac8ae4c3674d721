/** The shapes of error bodies, one family for each part of the API (spec 7). */

import { Failure, type FailureDetail } from '../../domain/failure.ts'
import { type ErrorBody, errorSchema } from './errorSchema.ts'
import type { Schema } from './schema.ts'
import { shortened } from './shortened.ts'

export interface ErrorFamily {
  readonly schema: Schema
  /** The body that answers the failure. */
  readonly body: (failure: Failure, requestId: string) => ErrorBody
}

/** The object of spec 7.1. */
const mainErrors: ErrorFamily = {
  schema: errorSchema,
  body: ({ code, message, type, param, details }, requestId) => ({
    code,
    message,
    type,
    request_id: requestId,
    ...(param !== undefined && { param }),
    ...(details && { details: details.slice(0, detailsMax).map(boundedDetail) }),
  }),
}

/** An answer names at most so many problems, each at most so long, so that a hostile request cannot make a large answer. */
const detailsMax = 100
const pathMax = 256
const messageMax = 2_000

function boundedDetail(detail: FailureDetail): FailureDetail {
  return {
    ...detail,
    path: shortened(detail.path, pathMax),
    message: shortened(detail.message, messageMax),
  }
}

/** By the beginning of the path; the first that fits. */
const families: readonly { readonly prefix: string; readonly family: ErrorFamily }[] = [
  { prefix: '/v2/', family: mainErrors },
]

/** The family of the errors answered to requests of this path. */
export function errorFamilyOf(path: string): ErrorFamily {
  return families.find(({ prefix }) => path.startsWith(prefix))?.family ?? mainErrors
}

/** What stands in for a failure nobody expected: it says nothing about the inside. */
export function unexpected(cause: unknown): Failure {
  return new Failure('internal', 'Something went wrong on our side.', { cause })
}
