/** Declares body readers, which check the content type, size and schema of a body. */

import type { IncomingMessage } from 'node:http'
import { Failure, invalidRequest } from '../../../domain/failure.ts'
import { longWork } from '../../../domain/load/longWork.ts'
import type { Context } from '../context.ts'
import type { Schema } from '../schema/schema.ts'
import { compileSchema, detailsOf } from '../schema/validator.ts'
import { type BodySize, malformed, parseJson, readBodyBytes } from './bodyBytes.ts'

/**
 * Throws `unsupported_media_type` for a body that is not declared as JSON, or declared to be in another character set than UTF-8, which
 * is the only one of JSON (RFC 8259, 8.1). A route may take another type of JSON as well.
 */
export function assertJson(req: IncomingMessage, otherType?: string): void {
  const header = req.headers['content-type'] ?? ''
  if (header === 'application/json') return
  if (header === '' && !hasBody(req)) return
  const [type = '', ...parameters] = header.split(';').map((part) => part.trim().toLowerCase())
  if (type !== 'application/json' && type !== otherType) {
    throw refusal("The header 'Content-Type: application/json' is required.")
  }
  assertUtf8(parameters)
}

/** Throws `unsupported_media_type` for parameters of a type that name another character set than UTF-8; they are in lower case. */
export function assertUtf8(parameters: readonly string[]): void {
  if (!parameters.every(isUtf8)) throw refusal('The body must be in UTF-8.')
}

const utf8Names = new Set(['utf-8', 'utf8', '"utf-8"', '"utf8"'])

function isUtf8(parameter: string): boolean {
  const [name, value = ''] = parameter.split('=', 2)
  return name !== 'charset' || utf8Names.has(value)
}

/** Whether the request says that a body comes. */
export function hasBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const length = headers['content-length'] ?? '0'
  return headers['transfer-encoding'] !== undefined || length !== '0'
}

function refusal(message: string): Failure {
  return new Failure('unsupported_media_type', message)
}

export interface BodyReader<Body> {
  readonly schema: Schema | undefined
  /** A request without it is as good as one with an empty object. */
  readonly mayBeAbsent?: true
  /** Of a body that is not JSON, and has no schema: its types, each with an example; undefined for one that is not text. */
  readonly contentTypes?: Readonly<Record<string, string | undefined>>
  /** How large it may be; absent where it is not held. */
  readonly size?: BodySize
  /** What it says. */
  readonly read: (ctx: Context) => Body | Promise<Body>
}

/** The body of a route that reads none: whatever comes is left unread. */
export const noBody: BodyReader<undefined> = { schema: undefined, read: () => undefined }

type ReadValue<Body> = (value: unknown) => Body | Promise<Body>

/**
 * A body that is read by the given function, which throws `invalid_request` for what it cannot accept. Throws `unsupported_media_type` for
 * what is not declared as JSON in UTF-8, `payload_too_large`, and `invalid_request` for what is not JSON in UTF-8.
 */
export function readableBody<Body>(
  schema: Schema,
  size: BodySize,
  readValue: ReadValue<Body>,
): BodyReader<Body> {
  return {
    schema,
    size,
    read: async (ctx) => {
      assertJson(ctx.req)
      return bodyOf(ctx, await readBodyBytes(ctx, size), readValue)
    },
  }
}

/** Bytes of a body that is read at once; reading more may take longer than others should wait. */
const shortBytes = 16 * 1024

async function bodyOf<Body>(
  ctx: Context,
  bytes: Buffer,
  readValue: ReadValue<Body>,
): Promise<Body> {
  const read = () => readValue(parseJson(bytes))
  const body = await (bytes.length > shortBytes ? longWork(keyOf(ctx), read) : read())
  // behind the reading, which names what is missing in it
  if (bytes.length === 0) throw malformed('A body is required: a JSON object.')
  return body
}

/** What is sent with a key that is public keeps nothing else of the account waiting. */
function keyOf({ state: { principal, app } }: Context): string {
  if (app) return `users of ${app.account}`
  if (!principal || !('accountId' in principal)) return principal?.kind ?? 'anyone'
  return principal.kind === 'account'
    ? principal.accountId
    : `${principal.kind} of ${principal.accountId}`
}

/** A body that is accepted when it fits the schema. */
export function schemaBody<Body>(schema: Schema): BodyReader<Body> {
  return readableBody(schema, 'large', fitting<Body>(schema))
}

/** The same of a body that may be left out. */
export function optionalBody<Body>(schema: Schema): BodyReader<Body> {
  const fits = fitting<Body>(schema)
  return {
    schema,
    size: 'small',
    mayBeAbsent: true,
    read: async (ctx) => {
      assertJson(ctx.req)
      return fits(parseJson(await readBodyBytes(ctx, 'small')))
    },
  }
}

/** The same of a change as RFC 7386 has it, which may say so in its `Content-Type`. */
export function mergePatchBody<Body>(schema: Schema): BodyReader<Body> {
  const fits = fitting<Body>(schema)
  return {
    schema,
    size: 'large',
    read: async (ctx) => {
      assertJson(ctx.req, mergePatchType)
      return bodyOf(ctx, await readBodyBytes(ctx, 'large'), fits)
    },
  }
}

const mergePatchType = 'application/merge-patch+json'

function fitting<Body>(schema: Schema): (value: unknown) => Body {
  const fits = compileSchema<Body>(schema)
  return (value) => {
    if (fits(value)) return value
    throw invalidRequest(detailsOf(fits.errors))
  }
}
