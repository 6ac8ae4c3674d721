/** The sender of a request, read from the first bytes of its connection. */

import { isMonitoring } from './isMonitoring.ts'
import type { Sender } from './knownSenders.ts'

/** Of the first bytes, as many as are looked at: the headers of usual clients. */
const lookedAtMax = 2_048

const authorizationLine = /\r\nauthorization:[ \t]*([^\r\n]*)\r\n/i
const target = /^[A-Z]+ ([^ ?\r\n]*)/

/** What the bytes say, without a word of whether they are a request. Somebody who is not known by them is known by the address. */
export function senderOf(bytes: Buffer, address: string | undefined): Sender {
  const text = bytes.toString('latin1', 0, lookedAtMax)
  return {
    authorization: authorizationLine.exec(text)?.[1]?.trimEnd(),
    address: () => address,
    monitors: isMonitoring(target.exec(text)?.[1] ?? ''),
  }
}
