import { describe, expect, test } from 'vitest'
import { evolveSession } from '../../src/events/sessions/session.ts'
import {
  emptyUserStream,
  evolveUser,
  type UserEvent,
  type UserStreamState,
  userEvents,
} from '../../src/events/sessions/user.ts'
import { samples } from './samples.ts'

const user_id = samples.UserCreated.user_id
const session_id = samples.SessionStarted.session_id

const created: UserEvent = { type: 'UserCreated', data: samples.UserCreated }
const revokedAll = (epoch: number, kept?: string): UserEvent => ({
  type: 'SessionsRevoked',
  data: {
    user_id,
    epoch,
    reason: 'user',
    revoked_at: 5,
    ...(kept !== undefined && { kept_session_id: kept }),
  },
})
const granted = (grant_id: string, granted_at: number, session?: string): UserEvent => ({
  type: 'ScopeGranted',
  data: {
    user_id,
    grant_id,
    scope: 'prld:pwd:write',
    granted_at,
    expires_at: granted_at + 10,
    ...(session !== undefined && { session_id: session }),
  },
})

const userOf = (...events: readonly UserEvent[]): UserStreamState =>
  events.reduce(evolveUser, emptyUserStream)
const next = (stream: UserStreamState, event: UserEvent) => evolveUser(stream, event, 9)

describe('the grants of a user', () => {
  const idsOf = (stream: UserStreamState) => stream.user?.grants.map(({ grant_id }) => grant_id)

  test('are there until they are used, and forgotten when they have expired and another comes', () => {
    const used: UserEvent = {
      type: 'ScopeUsed',
      data: { user_id, grant_id: 'a', session_id, used_at: 3 },
    }
    const stream = userOf(created, granted('a', 1), granted('b', 2))

    expect(idsOf(stream)).toEqual(['a', 'b'])
    expect(idsOf(next(stream, used))).toEqual(['b'])
    expect(idsOf(next(stream, granted('c', 12)))).toEqual(['c'])
  })

  test('are bounded in number', () => {
    const many = Array.from({ length: 500 }, (_, index) => granted(`g${index}`, 1))

    expect(userOf(created, ...many).user?.grants).toHaveLength(200)
  })

  test('end with the sessions, but for those of the one that is kept', () => {
    const stream = userOf(
      created,
      granted('any', 1),
      granted('mine', 1, session_id),
      granted('his', 1, 'ses_x'),
    )

    expect(idsOf(next(stream, revokedAll(1)))).toEqual([])
    expect(idsOf(next(stream, revokedAll(1, session_id)))).toEqual(['mine'])
  })
})

test('numbers and addresses are of subjects of their own, values of every other type of the user only', () => {
  const { also } = userEvents.UserCreated.personal.identifiers
  const identifiers = [
    { type: 'phone_number', value: '+12133734253' },
    { type: 'email_address', value: 'mia@example.com' },
    { type: 'customer_user_id', value: '42' },
    { type: 'constructor', value: '42' },
  ]

  expect(also({ identifiers })).toEqual([
    { kind: 'phone', value: '+12133734253' },
    { kind: 'email', value: 'mia@example.com' },
  ])
})

test('a name that is given later is an identifier of the user', () => {
  const named: UserEvent = { type: 'UserNamed', data: samples.UserNamed }
  const { identifier_digest } = samples.UserNamed

  expect(userOf(created, named).user).toMatchObject({
    name_digest: identifier_digest,
    identifier_digests: [...samples.UserCreated.identifier_digests, identifier_digest],
  })
})

test.each(['UserNamed', 'UserDeleted', 'ScopeGranted', 'SessionsRevoked'] as const)(
  '%s of a user who was never created is no history',
  (type) => {
    const event = { type, data: samples[type] } as UserEvent

    expect(() => userOf(event)).toThrow('was never created')
  },
)

test('a refresh of a session that was never started is no history', () => {
  const refreshed = { type: 'SessionRefreshed', data: samples.SessionRefreshed } as const

  expect(() => evolveSession(undefined, refreshed, 0)).toThrow('was never started')
})
