/** Answers a command that saved a version: the resource as it is now, its tag and its warnings. */

import type { Saved } from '../../commands/rulebook/resources.ts'
import { entityTag } from '../../domain/entityTag.ts'
import type { Warning } from '../../domain/warning.ts'
import { type Answer, written } from '../request/answer.ts'

/** What stands in the answer beside the fields of the resource. */
export interface Warned {
  readonly warnings?: readonly Warning[]
}

/** Without warnings the body is the resource; the tag is that of the resource in any case. */
export function savedAnswer(status: number, { warnings, ...saved }: Saved<object>): Answer {
  const { value } = saved
  const body: object & Warned = warnings.length === 0 ? value : { ...value, warnings }
  return { ...written(status, saved), body, etag: entityTag(value) }
}
