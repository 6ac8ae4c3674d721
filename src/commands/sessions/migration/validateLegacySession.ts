/** Asks the customer whether a legacy session is valid, unless its URL is paused after failures. */

import { Failure } from '../../../domain/failure.ts'
import {
  countryPattern,
  deviceTextMax,
  deviceTypePattern,
  invisibleTextFields,
  type SessionDeviceInput,
} from '../../../domain/sessions/sessionDevice.ts'
import {
  type Identifier,
  identifierLengthMax,
  identifiersMax,
  identifierTypePattern,
  normalizeIdentifier,
} from '../../../domain/sessions/userIdentifiers.ts'
import { type SigningContext, signCall } from '../accessTokens.ts'
import type { SessionsContext } from '../sessionsContext.ts'
import type { CircuitBreakers } from './circuitBreakers.ts'
import {
  type CustomerPostOptions,
  type CustomerResponse,
  ForbiddenAddress,
} from './postToCustomer.ts'
import type { ValidationSlots } from './validationSlots.ts'

const typeForm = new RegExp(identifierTypePattern)

const textForm = new RegExp(`^[^]{0,${deviceTextMax}}$`, 'u')
const deviceForms = {
  device_type: new RegExp(deviceTypePattern),
  device_model: textForm,
  os_version: textForm,
  country_code: new RegExp(countryPattern),
} as const satisfies Record<keyof SessionDeviceInput, RegExp>

/** A legacy session that was presented. */
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
 * Answers what the customer says. Throws `session_validation_failed` when that does not follow the contract, `ValidationPaused`, which has
 * the same code and a time to retry, while the URL is paused, and what `ValidationSlots` throws.
 */
export async function validateLegacySession(
  context: ValidationContext,
  asked: LegacySessionCheck,
): Promise<LegacySessionResult> {
  const { clock, customers } = context
  const { breakers } = customers
  const { account, appId, url, token } = asked
  // nothing is known yet of another URL
  const key = `${appId} ${url}`
  assertNotPaused(breakers.pauseMs(key, clock.nowMs()))
  return customers.withSlot(account, async () => {
    const body = JSON.stringify({ token, app_id: appId })
    const authorization = `Bearer ${await signCall(context, appId, { url, body })}`
    // failures of others may have begun a pause while this one waited for its slot
    assertNotPaused(breakers.pauseMs(key, clock.nowMs()))
    const answer = await post(customers, { url, body, authorization })
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

async function post(
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

type Fields = Readonly<Record<string, unknown>>

/** Undefined for whatever is not as the contract has it; fields that it does not know are passed over. */
function readResult(text: string): LegacySessionResult | undefined {
  const answer = readFields(parseJson(text))
  if (answer?.['valid'] === false) return { valid: false }
  if (answer?.['valid'] !== true) return undefined
  const identifiers = readLegacyIdentifiers(answer['identifiers'])
  const device = readLegacyDevice(answer['device'] ?? {})
  return identifiers && device && { valid: true, identifiers, device }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function readFields(value: unknown): Fields | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? (value as Fields) : undefined
}

function readLegacyIdentifiers(value: unknown): readonly Identifier[] | undefined {
  if (!Array.isArray(value) || value.length === 0 || value.length > identifiersMax) return undefined
  const found = value.flatMap((one) => readLegacyIdentifier(one) ?? [])
  if (found.length < value.length) return undefined
  const each = new Map(found.map((one) => [`${one.type} ${one.value}`, one]))
  return [...each.values()]
}

function readLegacyIdentifier(given: unknown): Identifier | undefined {
  const { type, value } = readFields(given) ?? {}
  if (typeof type !== 'string' || typeof value !== 'string') return undefined
  if (!typeForm.test(type) || value.length > identifierLengthMax) return undefined
  return normalizeIdentifier({ type, value })
}

function readLegacyDevice(value: unknown): SessionDeviceInput | undefined {
  const given = readFields(value)
  if (!given) return undefined
  const device: Record<string, string> = {}
  for (const [name, form] of Object.entries(deviceForms)) {
    const text = given[name]
    if (text === undefined) continue
    if (typeof text !== 'string' || !form.test(text)) return undefined
    device[name] = text
  }
  return invisibleTextFields(device).length > 0 ? undefined : device
}
