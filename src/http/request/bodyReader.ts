/** Reads the JSON body of a request, within a limit, and checks it. */

import { invalidRequest } from '../../domain/failure.ts'
import { readBodyBytes } from './bodyBytes.ts'
import { assertJson } from './contentType.ts'
import type { Context } from './context.ts'
import { parseJson } from './jsonText.ts'
import type { Schema } from './schema.ts'
import { compileSchema, detailsOf } from './validator.ts'

export interface BodyReader<Body> {
  readonly schema: Schema | undefined
  readonly read: (ctx: Context) => Body | Promise<Body>
}

/** The body of a route that reads none: whatever comes is left unread. */
export const noBody: BodyReader<undefined> = { schema: undefined, read: () => undefined }

/** How large a body may be, in bytes as sent and once unpacked: an evaluation is small, a recipe may be long, a whole rulebook longer. */
const limitBytes = { small: 64 * 1024, large: 256 * 1024, batch: 4 * 1024 * 1024 } as const

/**
 * A body that is read by the given function, which throws `invalid_request` for what it cannot accept. Reading throws
 * `unsupported_media_type` for what is not declared as JSON in UTF-8, `payload_too_large`, and `invalid_request` for what is not
 * JSON in UTF-8.
 */
export function readableBody<Body>(
  schema: Schema,
  size: keyof typeof limitBytes,
  readValue: (value: unknown) => Body,
): BodyReader<Body> {
  const limit = limitBytes[size]
  return {
    schema,
    read: async ({ req }) => {
      assertJson(req)
      return readValue(parseJson(await readBodyBytes(req, limit)))
    },
  }
}

/** A body that is accepted when it fits the schema. */
export function schemaBody<Body>(schema: Schema): BodyReader<Body> {
  const fits = compileSchema<Body>(schema)
  return readableBody(schema, 'large', (value) => {
    if (fits(value)) return value
    throw invalidRequest(detailsOf(fits.errors))
  })
}
