/** A front end of an account: its public key, and what it sends. */

import { randomUUID } from 'node:crypto'
import type { Door } from '../http/support/openDoor.ts'
import type { Received } from '../http/support/sendRequest.ts'
import { operatorToken } from './openVigil.ts'

type Body = Record<string, unknown>

export interface SdkKey {
  readonly key_id: string
  readonly sdk_key: string
}

interface Sending {
  readonly key: string
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** Issues a key of the account. */
export async function issueSdkKey(
  { door }: { readonly door: Door },
  accountId: string,
  body: object = {},
): Promise<SdkKey> {
  const path = `/v2/operator/accounts/${accountId}/sdk-keys`
  const issued = await door.request<Body>('POST', path, { token: operatorToken, body })
  if (issued.status !== 201) throw new Error(issued.text)
  return issued.body as unknown as SdkKey
}

/** Revokes it. */
export async function revokeSdkKey(
  { door }: { readonly door: Door },
  accountId: string,
  keyId: string,
): Promise<Received<Body>> {
  const path = `/v2/operator/accounts/${accountId}/sdk-keys/${keyId}`
  return door.request<Body>('DELETE', path, { token: operatorToken })
}

/** Sends signals; the answer is held against the interface description. */
export function sendSignals(
  { door }: { readonly door: Door },
  { key, body, headers = {} }: Sending,
): Promise<Received<Body>> {
  return door.request<Body>('POST', '/v1/signals', {
    body,
    headers: { 'x-sdk-key': key, ...headers },
  })
}

/** A dispatch of these signals under a new id. */
export function dispatchOf(signals: object) {
  return { dispatch_id: randomUUID(), signals }
}
