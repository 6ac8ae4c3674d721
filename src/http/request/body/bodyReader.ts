/** Declares body readers, which check the content type, size and schema of a body. */

import type { IncomingMessage } from 'node:http'
import { Failure, invalidRequest } from '../../../domain/failure.ts'
import type { Schema, SchemaOf } from '../../../domain/jsonSchema.ts'
import { type LoadContext, longWork } from '../../../domain/load/scheduler.ts'
import type { Context } from '../requestContext.ts'
import { compileSchema, toFailureDetails } from '../schema/validator.ts'
import { type BodySizeLimit, invalidBodyFailure, parseJson, readBodyBytes } from './jsonBody.ts'

/** A content type and its parameters, in lower case. */
export function parseContentType(header = '') {
  const [type = '', ...parameters] = header.split(';').map((part) => part.trim().toLowerCase())
  return { type, parameters }
}

/**
 * Throws `unsupported_media_type` unless the content type is JSON in UTF-8, the only encoding of JSON (RFC 8259, 8.1).
 * `otherType` is accepted as well.
 */
export function assertJson(req: IncomingMessage, otherType?: string): void {
  const header = req.headers['content-type'] ?? ''
  if (header === 'application/json') return
  if (header === '' && !hasBody(req)) return
  const { type, parameters } = parseContentType(header)
  if (type !== 'application/json' && type !== otherType) {
    const message = "The header 'Content-Type: application/json' is required."
    throw new Failure('unsupported_media_type', message)
  }
  assertUtf8(parameters)
}

const utf8Names = new Set(['utf-8', 'utf8', '"utf-8"', '"utf8"'])

/** Throws `unsupported_media_type` when the (lower-case) content-type parameters name a charset other than UTF-8. */
export function assertUtf8(parameters: readonly string[]): void {
  for (const parameter of parameters) {
    const [name, value = ''] = parameter.split('=', 2)
    if (name === 'charset' && !utf8Names.has(value)) {
      throw new Failure('unsupported_media_type', 'The body must be in UTF-8.')
    }
  }
}

export function hasBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const length = headers['content-length'] ?? '0'
  return headers['transfer-encoding'] !== undefined || length !== '0'
}

export interface BodyReader<Body> {
  readonly schema: Schema | undefined
  /** A request without it is as good as one with an empty object. */
  readonly mayBeAbsent?: true
  /** Of a body that is not JSON: its types, each with an example; undefined for one that is not text. */
  readonly contentTypes?: Readonly<Record<string, string | undefined>>
  /** Its maximum size; absent where the body is not kept in memory. */
  readonly size?: BodySizeLimit
  /** What it says. */
  readonly read: (ctx: Context) => Body | Promise<Body>
}

/** The reader of routes without a body; a body that is sent stays unread. */
export const noBody: BodyReader<undefined> = { schema: undefined, read: () => undefined }

/** How a JSON body may be sent. */
interface JsonBodyOptions {
  readonly size: BodySizeLimit
  readonly mayBeAbsent?: true
  /** A content type that it may have beside that of JSON. */
  readonly otherType?: string
}

/** Bytes of a body that is read at once; reading more may take longer than others should wait. */
const shortBytes = 16 * 1024

/**
 * Reads a JSON body with the given function, which throws `invalid_request` for invalid values. Throws
 * `unsupported_media_type` unless the content type is JSON in UTF-8, `payload_too_large`, and `invalid_request` for
 * text that is not JSON in UTF-8.
 */
export function jsonBodyReader<Body>(
  schema: Schema,
  { otherType, ...options }: JsonBodyOptions,
  readValue: (value: unknown, context: LoadContext) => Body | Promise<Body>,
): BodyReader<Body> {
  return {
    schema,
    ...options,
    read: async (ctx) => {
      assertJson(ctx.req, otherType)
      const bytes = await readBodyBytes(ctx, options.size)
      const { context } = ctx.service
      const read = () => readValue(parseJson(bytes), context)
      const body = await (bytes.length > shortBytes
        ? longWork(context, selectWorkKey(ctx), read)
        : read())
      // behind the reading, which names what is missing in it
      if (bytes.length > 0 || options.mayBeAbsent) return body
      throw invalidBodyFailure('A body is required: a JSON object.')
    },
  }
}

/** Public keys (front ends, users) get a queue of their own, so that they never delay the account's back ends. */
function selectWorkKey({ state: { principal, app } }: Context): string {
  if (app) return `users of ${app.account}`
  if (!principal || !('accountId' in principal)) return principal?.kind ?? 'anyone'
  return principal.kind === 'account'
    ? principal.accountId
    : `${principal.kind} of ${principal.accountId}`
}

export function schemaBody<Body>(schema: Schema | SchemaOf<Body>): BodyReader<Body> {
  return jsonBodyReader(schema, { size: 'large' }, buildSchemaCheck<Body>(schema))
}

/** Same, for a body that may be absent. */
export function optionalBody<Body>(schema: Schema | SchemaOf<Body>): BodyReader<Body> {
  const options = { size: 'small', mayBeAbsent: true } as const
  return jsonBodyReader(schema, options, buildSchemaCheck<Body>(schema))
}

/** Same, for a JSON merge patch (RFC 7386), which may be sent with its own content type. */
export function mergePatchBody<Body>(schema: Schema | SchemaOf<Body>): BodyReader<Body> {
  const options = { size: 'large', otherType: 'application/merge-patch+json' } as const
  return jsonBodyReader(schema, options, buildSchemaCheck<Body>(schema))
}

/** Checks values against the schema: throws `invalid_request` with every problem of one that does not fit. */
export function buildSchemaCheck<Body>(schema: Schema): (value: unknown) => Body {
  const fits = compileSchema<Body>(schema)
  return (value) => {
    if (fits(value)) return value
    throw invalidRequest(toFailureDetails(fits.errors))
  }
}
