/** Projects the sealing keys of replaced passwords, so that they can be destroyed. */

import type { UserEvent } from '../../events/sessions/user.ts'
import { defineCollection, defineProjection } from '../running/projection.ts'

type Changed = Extract<UserEvent, { readonly type: 'PasswordChanged' }>
type Deleted = Extract<UserEvent, { readonly type: 'UserDeleted' }>

/** A key and its subject. */
interface PasswordKey {
  readonly subject: string
  readonly key: string
}

/** By the user's id. */
export interface PasswordKeyDocument {
  /** Of the current password; absent once the user was deleted. */
  readonly current?: PasswordKey
  /** The last keys that were to be destroyed. */
  readonly earlier: readonly PasswordKey[]
  /** Of the last change, in milliseconds since the Unix epoch. */
  readonly changed_at: number
}

const identity = { name: 'password_keys', version: 1 } as const
export const passwordKeyCollection = defineCollection<PasswordKeyDocument>({
  projection: identity,
  indexes: [['changed_at']],
})

export const passwordKeysProjection = defineProjection<Changed | Deleted, PasswordKeyDocument>({
  ...identity,
  collections: [passwordKeyCollection],
  eventTypes: ['PasswordChanged', 'UserDeleted'],
  targets: ({ event }) => [{ collection: passwordKeyCollection, id: event.data.user_id }],
  apply: (document, { event, metadata: { subjects: [sealed] = [] } }) => {
    if (event.type === 'UserDeleted') {
      return document ? replaceCurrent(document, event.data.deleted_at) : null
    }
    const { changed_at } = event.data
    const before = document ? replaceCurrent(document, changed_at) : { earlier: [], changed_at }
    const { digest: subject, key } = sealed ?? {}
    if (subject === undefined || key === undefined) throw new Error('a password is under no key')
    return { ...before, current: { subject, key } }
  },
})

/** Earlier keys in a document: a change destroys the one before it, and only an interrupted change leaves more. */
const earlierMax = 10

function replaceCurrent(
  { current, earlier }: PasswordKeyDocument,
  changed_at: number,
): PasswordKeyDocument {
  return { earlier: [...earlier, ...(current ? [current] : [])].slice(-earlierMax), changed_at }
}
