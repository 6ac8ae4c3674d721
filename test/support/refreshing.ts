/** Refreshes of a session, as a browser asks for them. */

import { Agent } from 'node:http'
import { type Received, sendRequest } from '../http/support/sendRequest.ts'
import type { DpopKey, ProofClaims } from './dpopKey.ts'

type Body = Record<string, unknown>

export interface Refreshing {
  readonly port: number
  readonly appId: string
  readonly token?: string
  readonly key?: DpopKey | undefined
  /** Of the proof, beside the usual ones. */
  readonly claims?: ProofClaims
  readonly headers?: Readonly<Record<string, string>>
  readonly path?: string
  readonly body?: string
  /** Sent as it is, in place of a proof of the key. */
  readonly proof?: string
}

export interface Refreshed extends Received<Body> {
  readonly token: string
  readonly nonce: string
}

const refreshPath = '/v1/session/refresh'

/** Where the application is asked, on a port of this machine. */
export const urlOf = ({ appId, port }: Pick<Refreshing, 'appId' | 'port'>, path = refreshPath) =>
  `http://${appId}.session.localhost:${port}${path}`

/** Asks once. */
export async function refreshOnce(asked: Refreshing): Promise<Refreshed> {
  const { port, appId, token, key, claims, path = refreshPath } = asked
  const agent = new Agent()
  const { proof = key?.proof({ htu: urlOf(asked, path), ...claims }) } = asked
  const headers = {
    host: `${appId}.session.localhost:${port}`,
    ...(token !== undefined && { 'x-refresh-token': token }),
    ...(proof !== undefined && { dpop: proof }),
    ...asked.headers,
  }
  try {
    const place = { port, agent, method: 'POST', path }
    const { body } = asked
    const received = await sendRequest<Body>(place, { headers, ...(body && { body }) })
    const { 'x-refresh-token': next = '', 'dpop-nonce': nonce = '' } = received.headers
    return { ...received, token: String(next), nonce: String(nonce) }
  } finally {
    agent.destroy()
  }
}

/** Asks, and again with the nonce when it is told to, as browsers do. */
export async function refresh(asked: Refreshing): Promise<Refreshed> {
  const first = await refreshOnce(asked)
  if (first.body?.['code'] !== 'use_dpop_nonce') return first
  return refreshOnce({ ...asked, claims: { ...asked.claims, nonce: first.nonce } })
}
