import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decideOwnPasswordChange } from '../../src/commands/sessions/passwords/changePassword.ts'
import type { Failure } from '../../src/domain/failure.ts'
import {
  findActiveUser,
  type UserEvent,
  type UserStreamState,
} from '../../src/events/sessions/user.ts'
import { userStreamType } from '../../src/state/sessions/sessionStreamTypes.ts'

const user_id = 'usr_01h455vb4pex5vsknk084sn02q'
const created: UserEvent = {
  type: 'UserCreated',
  data: {
    user_id,
    app_id: '54e9ujn',
    account_id: 'acc_01h455vb4pex5vsknk084sn02q',
    identifiers: [],
    identifier_digests: [],
    created_at: 0,
  },
}
const fold = (events: readonly UserEvent[]) =>
  events.reduce(userStreamType.evolve, userStreamType.initial())

interface Grant {
  readonly scope: string
  readonly session: string | undefined
  readonly expires: number
}

const grants = fc.array(
  fc.record<Grant>({
    scope: fc.constantFrom('prld:pwd:write', 'prld:phone:register'),
    session: fc.constantFrom(undefined, 'mine', 'other'),
    expires: fc.integer({ min: 90, max: 110 }),
  }),
  { maxLength: 8 },
)

const granted = (given: readonly Grant[]): readonly UserEvent[] =>
  given.map(({ scope, session, expires }, at) => ({
    type: 'ScopeGranted',
    data: {
      user_id,
      grant_id: `grant ${at}`,
      scope,
      ...(session !== undefined && { session_id: session }),
      granted_at: 0,
      expires_at: expires,
    },
  }))

/** The events of a change in the session `mine`, or the code of its refusal. */
function change(stream: UserStreamState) {
  const password = { userId: user_id, passwordId: 'another', hash: 'its hash' }
  const user = findActiveUser(stream)
  if (!user) throw new Error('there is no user')
  try {
    return decideOwnPasswordChange(user, password, {
      sessionId: 'mine',
      revokes: 'none',
      nowMs: 100,
    })
  } catch (error) {
    return (error as Failure).code
  }
}

test('whatever was granted, a change uses up one grant that the session can use, until there is none', () => {
  fc.assert(
    fc.property(grants, (given) => {
      const usable = given.filter(
        ({ scope, session, expires }) =>
          scope === 'prld:pwd:write' && session !== 'other' && expires > 100,
      )
      const used: number[] = []
      let stream = fold([created, ...granted(given)])

      for (;;) {
        const events = change(stream)
        if (typeof events === 'string') {
          expect(events).toBe('insufficient_scope')
          break
        }
        const [first] = events
        if (first?.type !== 'ScopeUsed') throw new Error('a change has used nothing up')
        used.push(given[Number(first.data.grant_id.split(' ')[1])]?.expires ?? 0)
        stream = events.reduce(userStreamType.evolve, stream)
      }

      // the one that is over first goes first
      expect(used).toEqual(usable.map(({ expires }) => expires).toSorted((a, b) => a - b))
    }),
  )
})
