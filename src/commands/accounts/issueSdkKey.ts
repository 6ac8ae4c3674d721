/** Issues and revokes the public keys of an account's front ends. */

import { Failure, mustExist, notFound } from '../../domain/failure.ts'
import type { AccountEvent, AccountState } from '../../events/accounts/account.ts'

/** How many keys of an account may be in force at once: one for each of its front ends. */
const keysMax = 100

interface IssueSdkKeyInput {
  readonly keyId: string
  readonly name?: string
}

/** The decision. Throws `not_found`, `conflict` when the account has too many in force. */
export function issueSdkKey({ keyId, name }: IssueSdkKeyInput) {
  return ({ opened, sdkKeys }: AccountState): readonly AccountEvent[] => {
    if (!opened) throw notFound()
    const inForce = [...sdkKeys.values()].filter(({ revoked }) => !revoked).length
    if (inForce >= keysMax) {
      throw new Failure('conflict', `An account has at most ${keysMax} SDK keys; revoke one first.`)
    }
    const data = { key_id: keyId, ...(name !== undefined && { name }) }
    return [{ type: 'SdkKeyIssued', data }]
  }
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
