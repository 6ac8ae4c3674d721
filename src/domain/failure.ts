/** Lists the codes and HTTP statuses of expected failures; declares and makes `Failure`s. */

const failures = {
  invalid_request: { status: 400, type: 'bad_request' },
  invalid_rule: { status: 400, type: 'bad_request' },
  invalid_password: { status: 400, type: 'bad_request' },
  invalid_sender_id: { status: 400, type: 'bad_request' },
  invalid_pagination_limit: { status: 400, type: 'bad_request' },
  invalid_pagination_offset: { status: 400, type: 'bad_request' },
  invalid_code_size: { status: 400, type: 'bad_request' },
  invalid_suffix: { status: 400, type: 'bad_request' },
  suffix_not_allowed: { status: 400, type: 'bad_request' },
  suffix_script_not_supported: { status: 400, type: 'bad_request' },
  missing_dpop_proof: { status: 400, type: 'bad_request' },
  invalid_dpop_proof: { status: 400, type: 'bad_request' },
  use_dpop_nonce: { status: 400, type: 'bad_request' },
  dpop_key_mismatch: { status: 400, type: 'bad_request' },
  missing_api_token: { status: 401, type: 'unauthorized' },
  invalid_api_token: { status: 401, type: 'unauthorized' },
  missing_sdk_key: { status: 401, type: 'unauthorized' },
  invalid_sdk_key: { status: 401, type: 'unauthorized' },
  not_configured: { status: 403, type: 'forbidden' },
  origin_not_allowed: { status: 403, type: 'forbidden' },
  insufficient_scope: { status: 403, type: 'forbidden' },
  access_not_enabled: { status: 403, type: 'forbidden' },
  custom_suffix_not_enabled: { status: 403, type: 'forbidden' },
  managed_rule_read_only: { status: 403, type: 'forbidden' },
  managed_recipe_read_only: { status: 403, type: 'forbidden' },
  not_found: { status: 404, type: 'not_found' },
  app_not_found: { status: 404, type: 'not_found' },
  template_not_found: { status: 404, type: 'not_found' },
  method_not_allowed: { status: 405, type: 'method_not_allowed' },
  request_timeout: { status: 408, type: 'request_timeout' },
  conflict: { status: 409, type: 'conflict' },
  identifier_already_exists: { status: 409, type: 'conflict' },
  rule_in_use: { status: 409, type: 'conflict' },
  recipe_in_use: { status: 409, type: 'conflict' },
  list_in_use: { status: 409, type: 'conflict' },
  precondition_failed: { status: 412, type: 'precondition_failed' },
  evidence_forgotten: { status: 410, type: 'gone' },
  payload_too_large: { status: 413, type: 'payload_too_large' },
  unsupported_media_type: { status: 415, type: 'unsupported_media_type' },
  expectation_failed: { status: 417, type: 'expectation_failed' },
  misdirected_request: { status: 421, type: 'misdirected_request' },
  idempotency_key_reused: { status: 422, type: 'unprocessable_entity' },
  rate_limited: { status: 429, type: 'too_many_requests' },
  headers_too_large: { status: 431, type: 'headers_too_large' },
  internal: { status: 500, type: 'internal' },
  unknown_semantics: { status: 501, type: 'not_implemented' },
  session_validation_failed: { status: 502, type: 'bad_gateway' },
  unavailable: { status: 503, type: 'unavailable' },
} as const

export type FailureCode = keyof typeof failures

/**
 * One problem of one field; `path` is dotted (`rules.0.rule_id`). A mistake in a rule has its position in the rule's
 * text: row and column, from 1, and its length in characters, all in one row.
 */
export interface FailureDetail {
  readonly path: string
  readonly message: string
  readonly line?: number
  readonly column?: number
  readonly length?: number
}

interface FailureOptions {
  readonly details?: readonly FailureDetail[] | undefined
  /** The parameter of the failure, when there is only one (spec 7.1). */
  readonly param?: string | undefined
  /** Seconds until a retry makes sense; sent as `Retry-After`. */
  readonly retryAfterSeconds?: number | undefined
  /** The nonce for the next DPoP proof; sent as `DPoP-Nonce` (RFC 9449, 8). */
  readonly dpopNonce?: string
  /** Whether a store is damaged, so that a retry does not help. */
  readonly isDamage?: boolean | undefined
  /** Whether the token is wrong, which is counted by address; that of an ended session is not. */
  readonly isWrongToken?: true
  readonly cause?: unknown
}

/**
 * An expected failure: thrown anywhere, answered once, by the error handler. Its message, param and details may be
 * shown to the caller; its cause may not.
 */
export class Failure extends Error {
  readonly code: FailureCode
  readonly details: readonly FailureDetail[] | undefined
  readonly param: string | undefined
  readonly retryAfterSeconds: number | undefined
  readonly dpopNonce: string | undefined
  readonly isDamage: boolean
  readonly isWrongToken: boolean

  constructor(code: FailureCode, message: string, options: FailureOptions = {}) {
    const { stackTraceLimit } = Error
    // the stack of an expected failure is not used, and capturing it costs more than the rest of a refusal
    if (code !== 'internal') Error.stackTraceLimit = 0
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    Error.stackTraceLimit = stackTraceLimit
    this.name = 'Failure'
    this.code = code
    this.details = options.details
    this.param = options.param
    this.retryAfterSeconds = options.retryAfterSeconds
    this.dpopNonce = options.dpopNonce
    this.isDamage = options.isDamage ?? false
    this.isWrongToken = options.isWrongToken ?? false
  }

  get status(): number {
    return failures[this.code].status
  }

  get type(): string {
    return failures[this.code].type
  }
}

/** The failure of an invalid request (spec 7.1): 400 `invalid_request` with an entry for every invalid field. */
export function invalidRequest(details: readonly FailureDetail[]): Failure {
  return new Failure('invalid_request', 'The request is invalid; see details.', {
    param: 'request',
    details,
  })
}

/** The failure while something cannot be used or done: a retry makes sense after so many seconds. */
export function unavailable(message: string, retryAfterSeconds = 1): Failure {
  return new Failure('unavailable', message, { retryAfterSeconds })
}

/** Whether it is an `unavailable`: the only error that waiting may mend. */
export function isUnavailable(thrown: unknown): thrown is Failure {
  return thrown instanceof Failure && thrown.code === 'unavailable'
}

export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

/** The failure for what does not exist and for what belongs to another account: the same bytes. */
export function notFound(): Failure {
  return new Failure('not_found', 'There is nothing with this id.')
}

/** The failure for an application that does not exist, and for one of another account: the same bytes (spec 7.3). */
export function appNotFound(): Failure {
  return new Failure('app_not_found', 'There is no application with this id.')
}

/** The value itself. Throws `not_found` when it is undefined, with the same message as for another account's. */
export function requireExisting<Value>(value: Value | undefined): Value {
  if (value !== undefined) return value
  throw notFound()
}
