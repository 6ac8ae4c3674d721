/** Projects the users of applications in order of creation. */

import type { UserEvent } from '../../events/sessions/user.ts'
import {
  type CreatedPosition,
  defineCollection,
  defineProjection,
  keepCreatedPosition,
} from '../running/projection.ts'

type Created = Extract<UserEvent, { readonly type: 'UserCreated' }>
type Deleted = Extract<UserEvent, { readonly type: 'UserDeleted' }>

/** By the user's id. */
export interface UserDocument extends CreatedPosition {
  readonly account: string
  readonly app: string
  /** The event that created the user, its personal fields sealed. */
  readonly event_id: string
  readonly event_position: number
  readonly data: Created['data']
}

const identity = { name: 'users', version: 1 } as const
export const userCollection = defineCollection<UserDocument>({
  projection: identity,
  indexes: [['account', 'app', 'made']],
})

export const usersProjection = defineProjection<Created | Deleted, UserDocument>({
  ...identity,
  collections: [userCollection],
  eventTypes: ['UserCreated', 'UserDeleted'],
  targets: ({ event }) => [{ collection: userCollection, id: event.data.user_id }],
  apply: (user, { event, id = '', position }) => {
    if (event.type === 'UserDeleted') return null
    const { account_id: account, app_id: app } = event.data
    return {
      account,
      app,
      ...keepCreatedPosition(user, position),
      event_id: id,
      event_position: position,
      data: event.data,
    }
  },
})

/** The event that created a user, with the fields that opening it needs. */
export function userCreatedEvent({ event_id: id, event_position: position, data }: UserDocument) {
  return { id, event: { type: 'UserCreated', data }, position } as const
}
