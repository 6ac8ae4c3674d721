/** Describes for OpenAPI who may call a route: in a sentence, as security schemes, by refusals. */

import type { FailureCode } from '../../domain/failure.ts'
import type { Admission } from '../request/access.ts'

interface AdmissionDescription {
  readonly sentence: string
  /** Each entry is one alternative; scopes are roles of a bearer token (OpenAPI 3.1, security requirement object). */
  readonly security: readonly object[]
  /** The failures of callers that are not admitted. */
  readonly failures: readonly FailureCode[]
}

const words = {
  anyone: { sentence: 'Open to anyone.', security: [], failures: [] },
  front_end: {
    sentence: 'For front ends with an SDK key.',
    security: [{ sdkKey: [] }],
    failures: ['missing_sdk_key', 'invalid_sdk_key', 'origin_not_allowed', 'rate_limited'],
  },
  any_token: {
    sentence: 'For API tokens, whatever their scopes, and for the operator token.',
    security: [{ operatorToken: [] }, { apiToken: [] }],
    failures: ['missing_api_token', 'invalid_api_token', 'rate_limited'],
  },
  refresh_token: {
    sentence: 'For sessions with a refresh token.',
    security: [{ refreshToken: [] }],
    failures: ['invalid_api_token', 'rate_limited'],
  },
} as const satisfies Record<string, AdmissionDescription>

/** What the description of a route says of its callers. */
export function describeAdmission(admits: Admission): AdmissionDescription {
  if (typeof admits === 'string') return words[admits]
  if ('user' in admits) return describeUserAdmission(admits.user.scope)
  const { scopes, every, operator } = admits
  const names = every ? `scopes ${scopes.join(' and ')}` : `scope ${scopes.join(' or ')}`
  const callers = [
    ...(operator ? ['the operator token'] : []),
    ...(scopes.length > 0 ? [`API tokens with the ${names}`] : []),
  ]
  const alternatives = every ? [scopes] : scopes.map((scope) => [scope])
  return {
    sentence: `For ${callers.join(', and for ')}.`,
    security: [
      ...(operator ? [{ operatorToken: [] }] : []),
      ...alternatives.map((needed) => ({ apiToken: needed })),
    ],
    failures: ['missing_api_token', 'invalid_api_token', 'insufficient_scope', 'rate_limited'],
  }
}

function describeUserAdmission(scope: string | undefined): AdmissionDescription {
  const user = 'For users, with the access token of an active session'
  if (scope === undefined) {
    return {
      sentence: `${user}.`,
      security: [{ accessToken: [] }],
      failures: ['invalid_api_token', 'rate_limited'],
    }
  }
  return {
    sentence: `${user} that carries the scope ${scope}.`,
    security: [{ accessToken: [scope] }],
    failures: ['invalid_api_token', 'insufficient_scope', 'rate_limited'],
  }
}
