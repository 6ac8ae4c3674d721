/** Asks the customer whether a legacy session is valid, unless its URL is paused after failures. */

import { hash } from 'node:crypto'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { Failure } from '../../../domain/failure.ts'
import { asSchemaOf, openObject, optional, type TypeOf } from '../../../domain/jsonSchema.ts'
import {
  invisibleTextFields,
  normalizeSessionDevice,
  type SessionDeviceInput,
  sessionDeviceFields,
} from '../../../domain/sessions/sessionDevice.ts'
import {
  type Identifier,
  identifierFields,
  identifiersMax,
  normalizeIdentifier,
} from '../../../domain/sessions/userIdentifiers.ts'
import { type SigningContext, signCall } from '../../../state/sessions/accessTokens.ts'
import type { SessionsContext } from '../sessionsContext.ts'
import type { CircuitBreakers, ValidationSlots } from './limitCustomerCalls.ts'
import {
  type CustomerPostOptions,
  type CustomerResponse,
  ForbiddenAddress,
} from './postToCustomer.ts'

export interface LegacySessionCheck {
  readonly account: string
  readonly appId: string
  readonly requestId: string
  readonly url: string
  readonly token: string
}

/** Why there is no answer; of the answer itself nothing is told. */
interface Fault {
  readonly reason: 'forbidden_address' | 'no_answer' | 'status' | 'form'
  /** The status, or what the system calls the error. */
  readonly detail?: string
  /** Whether the customer's server works: then it is of this one session, and the next may be answered well. */
  readonly isAlive: boolean
}

/** The URL is not called for now. */
export class ValidationPaused extends Failure {}

/** Calls the servers of customers; opened once for each process. */
export interface CustomerClient {
  readonly post: (
    url: string,
    body: string,
    options: Pick<CustomerPostOptions, 'authorization'>,
  ) => Promise<CustomerResponse>
  readonly breakers: CircuitBreakers
  readonly withSlot: ValidationSlots
}

export type ValidationContext = SigningContext &
  Pick<SessionsContext, 'clock' | 'random' | 'warn' | 'customers'>

/**
 * Answers what the customer says. Throws `session_validation_failed` when that does not follow the contract,
 * `ValidationPaused`, which has the same code and a time to retry, while the URL is paused, and what `ValidationSlots`
 * throws.
 */
export async function validateLegacySession(
  context: ValidationContext,
  asked: LegacySessionCheck,
): Promise<LegacySessionResult> {
  const { clock, customers } = context
  const { breakers } = customers
  const { account, appId, url, token } = asked
  // nothing is known yet of another URL
  const key = hash('sha256', `${appId} ${url}`, 'base64')
  assertNotPaused(breakers.pauseMs(key, clock.nowMs()))
  return customers.withSlot(account, async () => {
    const body = JSON.stringify({ token, app_id: appId })
    const authorization = `Bearer ${await signCall(context, appId, { url, body })}`
    // failures of others may have begun a pause while this one waited for its slot
    assertNotPaused(breakers.pauseMs(key, clock.nowMs()))
    const answer = await askCustomer(customers, { url, body, authorization })
    if ('valid' in answer) {
      breakers.recordSuccess(key)
      return answer
    }
    const { isAlive, ...fault } = answer
    if (!isAlive) breakers.recordFailure(key, clock.nowMs())
    context.warn(
      { ...fault, account_id: account, app_id: appId, request_id: asked.requestId },
      'A customer did not say whether a legacy session is valid.',
    )
    throw new Failure(
      'session_validation_failed',
      'The application could not say whether the session is valid.',
    )
  })
}

function assertNotPaused(pauseMs: number): void {
  if (pauseMs === 0) return
  const message = 'The application cannot say now whether sessions are valid; try again later.'
  const retryAfterSeconds = Math.max(1, Math.ceil(pauseMs / 1_000))
  throw new ValidationPaused('session_validation_failed', message, { retryAfterSeconds })
}

async function askCustomer(
  customers: CustomerClient,
  { url, body, authorization }: Readonly<Record<'url' | 'body' | 'authorization', string>>,
): Promise<LegacySessionResult | Fault> {
  try {
    const { status, text, problem } = await customers.post(url, body, { authorization })
    if (status !== 200) {
      // a server that is overloaded answers no other question either
      const isAlive = status < 500 && status !== 408 && status !== 429
      return { reason: 'status', detail: String(status), isAlive }
    }
    const form = { reason: 'form', ...(problem && { detail: problem }), isAlive: true } as const
    return (text !== undefined && readResult(text)) || form
  } catch (error) {
    if (error instanceof ForbiddenAddress) return { reason: 'forbidden_address', isAlive: false }
    return { reason: 'no_answer', detail: nameError(error), isAlive: false }
  }
}

/** Its message may repeat what was answered. */
function nameError(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}

/** The customer's answer about a legacy session. */
export type LegacySessionResult =
  | { readonly valid: false }
  | {
      readonly valid: true
      /** Of its user: at least one, in canonical form, each once. */
      readonly identifiers: readonly Identifier[]
      readonly device: SessionDeviceInput
    }

/** What the contract has a customer say of a session that is valid; fields that it does not know are ignored. */
const validAnswerSchema = openObject('ValidLegacySession', {
  valid: { const: true },
  identifiers: {
    type: 'array',
    minItems: 1,
    maxItems: identifiersMax,
    items: openObject('LegacyIdentifier', identifierFields),
  },
  device: optional(
    asSchemaOf<SessionDeviceInput | null>({
      ...openObject('LegacyDevice', sessionDeviceFields),
      type: ['object', 'null'],
    }),
  ),
})

/** Compiled with the first answer. */
let isValidAnswer: ValidateFunction<TypeOf<typeof validAnswerSchema>> | undefined

/** Undefined for an answer that is not as the contract has it. */
function readResult(text: string): LegacySessionResult | undefined {
  const answer = parseJson(text)
  if (Object(answer).valid === false) return { valid: false }
  isValidAnswer ??= new Ajv2020({ allowUnionTypes: true }).compile(validAnswerSchema)
  if (!isValidAnswer(answer)) return undefined
  const device = answer.device ?? {}
  const found = answer.identifiers.flatMap((one) => normalizeIdentifier(one) ?? [])
  const isUnknown = found.length < answer.identifiers.length
  if (isUnknown || invisibleTextFields(device).length > 0) return undefined
  const each = new Map(found.map((one) => [`${one.type} ${one.value}`, one]))
  const identifiers = [...each.values()]
  return { valid: true, identifiers, device: normalizeSessionDevice(device) }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
