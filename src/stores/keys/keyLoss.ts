/** Declares losses of sealing keys, and finds whether a master key is lost or another one. */

import type { KeyLossReason } from '../../events/operations/loss.ts'
import { isProofOf } from './keyWrapping.ts'

export interface KeyLoss {
  readonly reason: KeyLossReason
  /** Whether the stored keys are of no use: to go on, new ones are made elsewhere. */
  readonly isUnusable: boolean
  /** A sentence without its end, that names where they are stored. */
  readonly text: string
}

export interface KeysToInspect {
  /** The master key that the service would start with; undefined when there is none. */
  readonly masterKey: Uint8Array | undefined
  /** Whether the log has an event: then there were keys, which are made before the first. */
  readonly isLogInUse: boolean
}

/** The loss, with the text for a master key that is not there and for one that the stored proof is not of. */
export function findMasterKeyLoss(
  proof: Uint8Array | undefined,
  masterKey: Uint8Array | undefined,
  texts: { readonly ofNone: string; readonly ofOther: string },
): KeyLoss | undefined {
  if (!masterKey) return { reason: 'no_master_key', isUnusable: true, text: texts.ofNone }
  if (proof && isProofOf(masterKey, proof)) return undefined
  return { reason: 'other_master_key', isUnusable: true, text: texts.ofOther }
}
