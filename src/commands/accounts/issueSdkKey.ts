/** Issues, restricts and revokes the public keys of an account's front ends. */

import { Failure, invalidRequest, mustExist, notFound } from '../../domain/failure.ts'
import { originProblem } from '../../domain/webOrigin.ts'
import type { AccountEvent, AccountState } from '../../events/accounts/account.ts'

/** How many keys of an account may be in force at once: one for each of its front ends. */
const keysMax = 100

interface IssueSdkKeyInput {
  readonly keyId: string
  readonly name?: string
  /** Of which the pages are that may use it; all may, and what is no page, without any. */
  readonly origins?: readonly string[]
}

/** The decision. Throws `not_found`, `invalid_request` for what is no origin, `conflict` when the account has too many in force. */
export function issueSdkKey({ keyId, name, origins = [] }: IssueSdkKeyInput) {
  assertOrigins(origins)
  return ({ opened, sdkKeys }: AccountState): readonly AccountEvent[] => {
    if (!opened) throw notFound()
    const inForce = [...sdkKeys.values()].filter(({ revoked }) => !revoked).length
    if (inForce >= keysMax) {
      throw new Failure('conflict', `An account has at most ${keysMax} SDK keys; revoke one first.`)
    }
    const data = { key_id: keyId, ...(name !== undefined && { name }) }
    return [{ type: 'SdkKeyIssued', data }, ...originsSet(keyId, origins)]
  }
}

/**
 * The decision: whose pages may use the key from now on; the same again is no change. Throws `not_found` for an unknown account, for a key
 * that it never had and for a revoked one, `invalid_request` for what is no origin.
 */
export function setSdkKeyOrigins(keyId: string, origins: readonly string[]) {
  assertOrigins(origins)
  return ({ opened, sdkKeys }: AccountState): readonly AccountEvent[] => {
    const key = sdkKeys.get(keyId)
    if (!opened || !key || key.revoked) throw notFound()
    const { origins: before = [] } = key
    const isSame =
      before.length === origins.length && origins.every((origin, at) => origin === before[at])
    return isSame ? [] : [{ type: 'SdkKeyOriginsSet', data: { key_id: keyId, origins } }]
  }
}

function originsSet(keyId: string, origins: readonly string[]): readonly AccountEvent[] {
  if (origins.length === 0) return []
  return [{ type: 'SdkKeyOriginsSet', data: { key_id: keyId, origins } }]
}

function assertOrigins(origins: readonly string[]): void {
  const details = origins.flatMap((origin, index) => {
    const message = originProblem(origin)
    return message === undefined ? [] : [{ path: `origins.${index}`, message }]
  })
  if (details.length > 0) throw invalidRequest(details)
}

/**
 * The decision: revoking a key again changes nothing. `wasIssued` says whether the account ever had it, since what is long dead is
 * forgotten. Throws `not_found` for an unknown account and for a key that it never had.
 */
export function revokeSdkKey(keyId: string, wasIssued = false) {
  return ({ opened, sdkKeys }: AccountState): readonly AccountEvent[] => {
    if (!opened) throw notFound()
    const key = sdkKeys.get(keyId) ?? mustExist(wasIssued ? { revoked: true } : undefined)
    return key.revoked ? [] : [{ type: 'SdkKeyRevoked', data: { key_id: keyId } }]
  }
}
