/** Signs the cursors of answers for their caller's account, and takes no others back. */

import { timingSafeEqual } from 'node:crypto'
import type { Service } from '../../app/serviceContext.ts'
import { invalidRequest } from '../../domain/failure.ts'
import type { Principal } from '../../domain/principal.ts'
import type { Answer } from './answer.ts'

/** The key ring of every instance has the same key, and the caller whose account alone may use a cursor. */
interface CursorSigning {
  readonly keyring: Pick<Service['context']['keyring'], 'digest'>
  readonly principal: Principal | undefined
}

/** Of base64url: 132 bits. */
const signatureChars = 22

function computeSignature({ keyring, principal }: CursorSigning, cursor: string): Buffer {
  const holder = principal && 'accountId' in principal ? principal.accountId : principal?.kind
  const digest = keyring.digest('cursor', JSON.stringify([holder, cursor]))
  return Buffer.from(digest.slice(0, signatureChars))
}

/** The answer, with its `next_cursor` signed if it has one. */
export function signNextCursor(signing: CursorSigning, answer: Answer): Answer {
  const { value } = answer
  if (typeof value !== 'object' || value === null || !('next_cursor' in value)) return answer
  const { next_cursor: cursor } = value
  if (typeof cursor !== 'string') return answer
  return {
    ...answer,
    value: { ...value, next_cursor: `${cursor}${computeSignature(signing, cursor)}` },
  }
}

/** The cursor that was signed. Throws `invalid_request` naming `cursor` for one changed or of another account. */
export function readSignedCursor(signing: CursorSigning, signed: string): string {
  const cursor = signed.slice(0, -signatureChars)
  const signature = Buffer.from(signed.slice(-signatureChars))
  const expected = computeSignature(signing, cursor)
  if (signature.length === expected.length && timingSafeEqual(signature, expected)) return cursor
  throw invalidRequest([{ path: 'cursor', message: 'is not a cursor of this list' }])
}
