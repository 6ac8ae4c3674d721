/** The failure of a body as a whole. */

import { type Failure, invalidRequest } from '../../domain/failure.ts'

export function malformed(message: string): Failure {
  return invalidRequest([{ path: '', message }])
}
