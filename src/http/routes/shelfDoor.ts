/** What the routes of one shelf are made of. */

import type { FailureCode } from '../../domain/failure.ts'
import type { IdPrefix } from '../../domain/ids.ts'
import type { Service, Shelf } from '../../service.ts'
import { accountAccess } from '../access.ts'
import type { AnswerFacts } from '../route.ts'
import type { ShelfSchemas } from '../schemas/authoring.ts'

export interface ShelfDoor<Input, View> {
  readonly authenticate: Service['authenticate']
  readonly shelf: Shelf<Input, View>
  readonly schemas: ShelfSchemas
  /** `rule`: what an operation id, a summary and the parameter of the path are made of. */
  readonly noun: string
  readonly prefix: IdPrefix
  readonly writeFailures: readonly FailureCode[]
  readonly removeFailures: readonly FailureCode[]
}

/** Answered to a read whose `If-None-Match` names what would be answered. */
export const unchangedAnswer: AnswerFacts = { description: 'It is what the caller has already.' }

/** What the routes of the whole collection have in common. */
export function collection<Input, View>({ authenticate, noun }: ShelfDoor<Input, View>) {
  return {
    path: `/v2/watch/management/${noun}s`,
    tag: 'Authoring',
    access: accountAccess(authenticate, 'author'),
    ids: {},
  }
}

/** What the routes of one thing have in common. */
export function item<Input, View>(door: ShelfDoor<Input, View>) {
  return {
    ...collection(door),
    path: `/v2/watch/management/${door.noun}s/{id}`,
    ids: { id: door.prefix },
  }
}

/** The word with a capital letter in front. */
export function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
