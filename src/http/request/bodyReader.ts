/** Reads the JSON body of a request, within a limit, and checks it. */

import bodyParser from 'koa-bodyparser'
import { Failure, invalidRequest } from '../../domain/failure.ts'
import type { Context } from './context.ts'
import type { Schema } from './schema.ts'
import { compileSchema, detailsOf } from './validator.ts'

export interface BodyReader<Body> {
  readonly schema: Schema | undefined
  readonly read: (ctx: Context) => Body | Promise<Body>
}

/** The body of a route that reads none: whatever comes is left unread. */
export const noBody: BodyReader<undefined> = { schema: undefined, read: () => undefined }

/** How large a body may be, in bytes once unpacked: an evaluation is small, a recipe may be long. */
const limitBytes = { small: 64 * 1024, large: 256 * 1024 } as const

// a key named `__proto__`, by which a copy of a body could reach a prototype, is refused, not dropped in silence
const parseWithin = {
  small: parserOf(limitBytes.small),
  large: parserOf(limitBytes.large),
}

/**
 * A body that is read by the given function, which throws `invalid_request` for what it cannot accept. Reading throws
 * `unsupported_media_type` for what is not declared as JSON, `payload_too_large`, and `invalid_request` for malformed JSON.
 */
export function readableBody<Body>(
  schema: Schema,
  size: keyof typeof limitBytes,
  readValue: (value: unknown) => Body,
): BodyReader<Body> {
  const parse = parseWithin[size]
  return {
    schema,
    read: async (ctx) => {
      assertJson(ctx)
      await parse(ctx)
      return readValue(ctx.request.body)
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

function assertJson(ctx: Context): void {
  const type = ctx.req.headers['content-type'] ?? ''
  if (type === 'application/json' || isJson(type)) return
  if (type === '' && !hasBody(ctx)) return
  throw new Failure(
    'unsupported_media_type',
    "The header 'Content-Type: application/json' is required.",
  )
}

function isJson(type: string): boolean {
  return type.split(';', 1)[0]?.trim().toLowerCase() === 'application/json'
}

function hasBody({ req }: Context): boolean {
  const length = req.headers['content-length'] ?? '0'
  return req.headers['transfer-encoding'] !== undefined || length !== '0'
}

function parserOf(jsonLimit: number): (ctx: Context) => Promise<void> {
  const parser = bodyParser({
    enableTypes: ['json'],
    jsonLimit: String(jsonLimit),
    // known to the parser, not to its types
    ...{ onProtoPoisoning: 'error' },
  })
  return async (ctx) => {
    try {
      await parser(ctx, nothingMore)
    } catch (thrown) {
      throw bodyFailure(thrown)
    }
  }
}

async function nothingMore(): Promise<void> {}

/** What the parser and the streams below it throw, as a failure; anything else as it is. */
function bodyFailure(thrown: unknown): unknown {
  if (!(thrown instanceof Error)) return thrown
  const status = 'status' in thrown ? thrown.status : undefined
  const code = 'code' in thrown ? String(thrown.code) : ''
  if (status === 413) {
    return new Failure('payload_too_large', 'The body is too large.', { cause: thrown })
  }
  if (status === 415) {
    return new Failure('unsupported_media_type', 'The encoding of the body is not supported.', {
      cause: thrown,
    })
  }
  if (code === 'ECONNABORTED') return malformed('The body ended too early.')
  if (code.startsWith('Z_')) return malformed('The body is not what its Content-Encoding says.')
  if (status !== 400) return thrown
  return malformed(
    thrown.message.includes('forbidden prototype')
      ? 'A key must not be called __proto__.'
      : 'The body is not a JSON object.',
  )
}

function malformed(message: string): Failure {
  return invalidRequest([{ path: '', message }])
}
