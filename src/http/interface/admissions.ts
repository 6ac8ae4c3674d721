/** Who may come through a route, as the interface description says it. */

import { scopes } from '../../domain/principal.ts'
import type { Admission, Host } from '../request/route.ts'

/** Tokens and keys for the main host. */
const ofMain = {
  apiToken: {
    type: 'http',
    scheme: 'bearer',
    description: `An API token of an account, as the operator issues it. It carries one or more of the scopes ${scopes.join(', ')}; each operation says which it needs. audit reads everything of its account and writes nothing.`,
  },
  operatorToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'The token of the operator of the installation (VIGIL_OPERATOR_TOKEN).',
  },
  sdkKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-SDK-Key',
    description: "A public key of an account's front ends, as the operator issues it; no secret.",
  },
}

/** Tokens for the hosts of applications. */
const ofSession = {
  accessToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: "The access token of a user's session, as a refresh of the session answers it.",
  },
  refreshToken: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Refresh-Token',
    description:
      'The refresh token of a session, good for one refresh. It may stand in the cookie __refresh_{appID} instead.',
  },
}

/** By the host. */
export const schemesOf = { main: ofMain, session: ofSession } as const satisfies Record<
  Host,
  object
>

/** One sentence for people. */
export function admissionSentence(admits: Admission): string {
  if (admits === 'anyone') return 'Open to anyone.'
  if (admits === 'front_end') return 'For front ends with an SDK key.'
  if (admits === 'refresh_token') return 'For sessions with a refresh token.'
  if ('user' in admits) return sentenceOnUser(admits.user)
  const { scopes, operator } = admits
  const tokens = [
    ...(operator ? ['the operator token'] : []),
    ...(scopes.length > 0 ? [`API tokens with the scope ${scopes.join(' or ')}`] : []),
  ]
  return `For ${tokens.join(', and for ')}.`
}

/** Each entry is one way in; the scopes stand as roles of a bearer token (OpenAPI 3.1, security requirement object). */
export function securityOf(admits: Admission): readonly object[] {
  if (admits === 'anyone') return []
  if (admits === 'front_end') return [{ sdkKey: [] }]
  if (admits === 'refresh_token') return [{ refreshToken: [] }]
  if ('user' in admits) return [{ accessToken: listOf(admits.user.scope) }]
  const { scopes, operator } = admits
  return [
    ...(operator ? [{ operatorToken: [] }] : []),
    ...scopes.map((scope) => ({ apiToken: [scope] })),
  ]
}

function sentenceOnUser({ scope }: { readonly scope?: string | undefined }): string {
  const user = 'For users, with the access token of an active session'
  return scope === undefined ? `${user}.` : `${user} that carries the scope ${scope}.`
}

function listOf(scope: string | undefined): readonly string[] {
  return scope === undefined ? [] : [scope]
}
