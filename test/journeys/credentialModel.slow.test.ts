/**
 * Users, identifiers, sessions, refreshes with proofs, lost answers, reuse, passwords and scopes spent once, against a
 * plain model: random requests with a clock that moves and restarts, and the same on two instances that are asked in
 * turn. Every answer is compared with that of the model, and after each what every session of the user may do.
 */

import fc from 'fast-check'
import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import type { Door } from '../http/support/openDoor.ts'
import { type DpopKey, dpopKey } from '../support/dpopKey.ts'
import { eventually } from '../support/eventually.ts'
import { openTwoInstances } from '../support/openTwoInstances.ts'
import { openCustomer, openVigil } from '../support/openVigil.ts'
import { type Refreshed, refreshOnce, urlOf } from '../support/refreshing.ts'
import { seedOfRun as seed } from '../support/seedOfRun.ts'
import * as model from './support/credentialModel.ts'

const start = Date.UTC(2026, 10, 22, 9, 30, 0, 417)
const settings = {
  tokens: { access_seconds: model.accessMs / 1_000, refresh_seconds: model.refreshMs / 1_000 },
}

type Body = Record<string, unknown>

/** What is asked. */
interface Place {
  /** Of the instance whose turn it is. */
  readonly door: () => Door
  /**
   * The same, once the instance and the read models have heard of all that was written: it is true everywhere within a
   * second.
   */
  readonly doorThatHeard: () => Promise<Door>
  readonly setTime: (nowMs: number) => void
  readonly restart: () => Promise<void>
  /** Of the customer. */
  readonly token: string
}

interface World extends Place {
  readonly appId: string
  readonly keys: readonly DpopKey[]
  readonly users: model.User[]
  nowMs: number
}

const of = { user: fc.nat(2), session: fc.nat(2) }
const identifier = fc.constantFrom('a', 'b', 'c', 'd')
const identifiers = fc.uniqueArray(identifier, { minLength: 1, maxLength: 3 })
const password = fc.constantFrom('the first horse', 'the second horse', model.badPassword)
const one = <Kind extends string>(kind: Kind) => fc.constant(kind)

const command = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: one('create'), identifiers }) },
  { weight: 2, arbitrary: fc.record({ kind: one('find'), identifier }) },
  { weight: 5, arbitrary: fc.record({ kind: one('start'), ...of, scoped: fc.boolean() }) },
  {
    weight: 14,
    arbitrary: fc.record({
      kind: one('refresh'),
      ...of,
      // most have the token and the key that they should have
      back: fc.constantFrom<number>(0, 0, 0, 0, 1, 1, 2),
      key: fc.constantFrom<number>(0, 0, 0, 0, 0, 1),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: one('lose'),
      ...of,
      times: fc.constantFrom<number>(1, 6),
      afterMs: fc.constantFrom<number>(0, 300_000, 300_001),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: one('stepUp'), ...of, toSession: fc.boolean(), password }),
  },
  { weight: 2, arbitrary: fc.record({ kind: one('replay'), ...of }) },
  { weight: 4, arbitrary: fc.record({ kind: one('grant'), ...of, toSession: fc.boolean() }) },
  { weight: 6, arbitrary: fc.record({ kind: one('change'), ...of, old: fc.nat(1), password }) },
  { weight: 2, arbitrary: fc.record({ kind: one('changeTwice'), ...of }) },
  { weight: 2, arbitrary: fc.record({ kind: one('set'), ...of, password }) },
  { weight: 3, arbitrary: fc.record({ kind: one('check'), ...of, password }) },
  { weight: 2, arbitrary: fc.record({ kind: one('revoke'), ...of }) },
  { weight: 1, arbitrary: fc.record({ kind: one('revokeAll'), ...of }) },
  { weight: 1, arbitrary: fc.record({ kind: one('revokeOthers'), ...of }) },
  { weight: 1, arbitrary: fc.record({ kind: one('revokeByToken'), ...of }) },
  { weight: 1, arbitrary: fc.record({ kind: one('delete'), ...of }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: one('pass'),
      ms: fc.constantFrom(700, 3_000, 10_000, 299_000, 301_000, 295_000, 600_000),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: one('restart') }) },
)
/** An answer asked for too often or too late, and a token of two refreshes ago. */
const rarelyDrawn: readonly Command[] = [
  { kind: 'lose', user: 0, session: 0, times: 6, afterMs: 0 },
  { kind: 'lose', user: 0, session: 1, times: 1, afterMs: 300_001 },
  ...[0, 0, 2].map((back) => ({ kind: 'refresh', user: 1, session: 0, back, key: 0 }) as const),
]
/** There are two users from the start, who have sessions. */
const commands = fc
  .array(command, { minLength: 25, maxLength: 40 })
  .map((all): Command[] => [
    { kind: 'create', identifiers: ['a'] },
    { kind: 'create', identifiers: ['b'] },
    ...[0, 0, 1].map((user) => ({ kind: 'start', user, session: 0, scoped: false }) as const),
    ...rarelyDrawn,
    ...all,
  ])
type Command = typeof command extends fc.Arbitrary<infer Value> ? Value : never
type OfUser = Extract<Command, { readonly user: number }>

async function newWorld(place: Place): Promise<World> {
  const { token } = place
  const body = { name: 'Shop', settings }
  const made = await place.door().request<Body>('POST', '/v2/session/apps', { token, body })
  const keys = [dpopKey(), dpopKey()]
  return { ...place, appId: String(made.body['app_id']), keys, users: [], nowMs: start }
}

interface Answer {
  readonly status: number
  readonly body: Body | undefined
}

const manage = (
  { door, token }: World,
  [method, path, body]: readonly [string, string, object?],
): Promise<Answer> => door().request<Body>(method, path, { token, ...(body && { body }) })

/** The same, where what was written has been heard of. */
const manageLater = async (world: World, path: string): Promise<Answer> => {
  const door = await world.doorThatHeard()
  return manage({ ...world, door: () => door }, ['GET', path])
}

async function asUser(
  { doorThatHeard, appId }: World,
  token: string | undefined,
  [method, path, body]: readonly [string, string, object?],
): Promise<Answer> {
  const door = await doorThatHeard()
  return door.request<Body>(method, path, {
    token,
    headers: { host: `${appId}.session.localhost` },
    ...(body && { body }),
  })
}

function same({ status, body }: Answer, expected: model.Expected, what: object): void {
  const code = status >= 400 ? body?.['code'] : undefined
  expect({ status, code, ...what }).toEqual({ code: undefined, ...expected, ...what })
}

const type = 'customer_user_id'
const usersOf = ({ appId }: World) => `/v2/session/apps/${appId}/users`

async function create(world: World, names: readonly string[]): Promise<void> {
  const identifiers = names.map((value) => ({ type, value }))
  const answer = await manage(world, ['POST', usersOf(world), { identifiers }])
  const isTaken = names.some((name) => model.ownerOf(world.users, name))
  if (isTaken) return same(answer, { status: 409, code: 'identifier_already_exists' }, { names })
  const { id, created_at: _, ...shown } = answer.body ?? {}
  expect({ status: answer.status, shown }).toEqual({ status: 201, shown: { identifiers } })
  world.users.push(model.createdUser(`${usersOf(world)}/${id}`, names))
}

async function find(world: World, value: string): Promise<void> {
  const { body } = await manageLater(world, `${usersOf(world)}?type=${type}&value=${value}`)
  const found = body?.['users'] as readonly { readonly id: string }[]
  const owner = model.ownerOf(world.users, value)
  const paths = found.map(({ id }) => `${usersOf(world)}/${id}`)
  expect({ value, paths }).toEqual({ value, paths: owner ? [owner.path] : [] })
}

interface Presented {
  readonly token: string
  readonly key: number
}

/** By a name without a port, so that a proof is for the same address whoever is asked, and after a restart. */
const placeOf = ({ door, appId }: World) => ({
  port: door().port,
  appId,
  headers: { host: `${appId}.session.localhost` },
})

/** As browsers do: with the nonce that the first answer gives. */
async function askRefresh(world: World, { token, key }: Presented) {
  const asked = { ...placeOf(world), token }
  const iat = Math.floor(world.nowMs / 1_000)
  const maker = world.keys[key]
  const first = await refreshOnce({ ...asked, key: maker, claims: { iat } })
  expect(first.body['code']).toBe('use_dpop_nonce')
  const proof = maker?.proof({ htu: urlOf(asked), nonce: first.nonce, iat }) ?? ''
  return { answer: await refreshOnce({ ...asked, proof }), last: { token, proof, iat } }
}

async function refresh(world: World, asked: Extract<Command, { kind: 'refresh' }>, it: Pair) {
  const { user, session } = it
  const back = Math.min(asked.back, session.refreshTokens.length - 1)
  const token = session.refreshTokens.at(-1 - back) ?? ''
  const { key } = asked
  const { nowMs } = world
  const { gives, ...expected } = model.refresh(user, session, { back, key, nowMs })
  const { answer, last } = await askRefresh(world, { token, key })
  same(answer, expected, { asked })
  if (gives === 'next') {
    const scopes = model.scopesOf(user, session, nowMs)
    const access = model.accessOf(String(answer.body['access_token']), session, scopes)
    session.refreshTokens.push(answer.token)
    session.accessTokens.push(access)
    session.last = last
    expectTokens(answer, session)
  }
  if (gives === 'again') expectTokens(answer, session)
}

/** The tokens that the session has now, and nothing else. */
function expectTokens(answer: Refreshed, session: model.Session): void {
  const access = session.accessTokens.at(-1)
  expect({
    refresh: answer.token,
    access: answer.body['access_token'],
    expires: answer.body['expires_at'],
    ends: answer.headers['x-refresh-token-expires-at'],
  }).toEqual({
    refresh: session.refreshTokens.at(-1),
    access: access?.token,
    expires: (access?.endsMs ?? 0) / 1_000,
    ends: new Date(session.endsMs).toISOString(),
  })
  expect(decodeJwt(String(access?.token))['scope']).toBe(access?.scopes.join(' '))
}

/** An answer is lost, and asked for again, so often and after so long. */
async function lose(
  world: World,
  it: Pair,
  { times, afterMs }: { readonly times: number; readonly afterMs: number },
): Promise<void> {
  const { key = 0 } = it.session
  const asked = { kind: 'refresh', user: 0, session: 0, key } as const
  await refresh(world, { ...asked, back: 0 }, it)
  pass(world, afterMs)
  for (let time = 0; time < times; time += 1) await refresh(world, { ...asked, back: 1 }, it)
}

function pass(world: World, ms: number): void {
  world.nowMs += ms
  world.setTime(world.nowMs)
}

interface Pair {
  readonly user: model.User
  readonly session: model.Session
}

async function startOne(world: World, user: model.User, scoped: boolean): Promise<void> {
  const { nowMs } = world
  const scopes = scoped ? [model.passwordScope] : []
  const answer = await manage(world, ['POST', `${user.path}/sessions`, { scopes }])
  if (user.deleted) return same(answer, model.nobody, { start: user.path })
  same(answer, { status: 201 }, { start: user.path })
  const body = answer.body ?? {}
  const token = String(body['refresh_token'])
  const id = String(Object(body['session']).id)
  const session = model.startedSession(user, { id, token, nowMs })
  if (scoped) model.grant(user, session, nowMs)
  session.accessTokens.push(model.accessOf(String(body['access_token']), session, scopes))
}

async function change(world: World, it: Pair, asked: { old: number; password: string }) {
  const { nowMs } = world
  const access = it.session.accessTokens.at(-1 - asked.old) ?? it.session.accessTokens.at(-1)
  if (!access) return
  const body = { password: asked.password }
  const expected = model.changeOwn(it.user, it.session, { access, ...body, nowMs })
  const answer = await asUser(world, access.token, ['POST', `${own}/password/reset`, body])
  same(answer, expected, { asked })
}

/** The back end grants the scope, the next access token has it, and it is good for one change. */
async function stepUp(
  world: World,
  { user, session }: Pair,
  { toSession, password: wanted }: { readonly toSession: boolean; readonly password: string },
): Promise<void> {
  await grant(world, user, toSession ? session : undefined)
  const { key = 0 } = session
  await refresh(world, { kind: 'refresh', user: 0, session: 0, back: 0, key }, { user, session })
  for (const _ of [1, 2]) await change(world, { user, session }, { old: 0, password: wanted })
}

async function grant(world: World, user: model.User, session: model.Session | undefined) {
  const body = { scope: model.passwordScope, ...(session && { session_id: session.id }) }
  const answer = await manage(world, ['POST', `${user.path}/scopes`, body])
  same(answer, model.grant(user, session, world.nowMs), { grant: session?.id })
}

const own = '/v1/session/me'

/** Sent twice at the same moment: each grant is spent once. */
async function changeTwice(world: World, { user, session }: Pair): Promise<void> {
  const { nowMs } = world
  const access = session.accessTokens.at(-1)
  if (!access) return
  const body = { password: 'the third horse' }
  const expected = [1, 2].map(() => model.changeOwn(user, session, { access, ...body, nowMs }))
  const answers = await Promise.all(
    [1, 2].map(() => asUser(world, access.token, ['POST', `${own}/password/reset`, body])),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual(
    expected.map(({ status }) => status).sort(),
  )
}

async function onUser(world: World, asked: OfUser, user: model.User): Promise<void> {
  switch (asked.kind) {
    case 'start':
      return startOne(world, user, asked.scoped)
    case 'set': {
      const body = { password: asked.password }
      const answer = await manage(world, ['PUT', `${user.path}/password`, body])
      return same(answer, model.setPassword(user, asked.password), asked)
    }
    case 'check': {
      const body = { password: asked.password }
      const answer = await manage(world, ['POST', `${user.path}/password/check`, body])
      return expect(answer.body).toEqual({ valid: user.password === asked.password })
    }
    case 'revokeAll': {
      const answer = await manage(world, ['DELETE', `${user.path}/sessions`])
      return same(answer, model.revokeAll(user), asked)
    }
    case 'delete':
      return same(await manage(world, ['DELETE', user.path]), model.deleteUser(user), asked)
    case 'grant':
      return grant(world, user, asked.toSession ? user.sessions.at(asked.session) : undefined)
    default: {
      const session = user.sessions.at(-1 - (asked.session % Math.max(1, user.sessions.length)))
      if (session) await onSession(world, asked, { user, session })
    }
  }
}

async function onSession(world: World, asked: OfUser, it: Pair): Promise<void> {
  const { user, session } = it
  const { nowMs } = world
  const access = session.accessTokens.at(-1)
  if (!access) throw new Error('a session has no access token')
  switch (asked.kind) {
    case 'refresh':
      return refresh(world, asked, it)
    case 'lose':
      return lose(world, it, asked)
    case 'stepUp':
      return stepUp(world, it, asked)
    case 'replay': {
      if (!session.last) return
      const answer = await refreshOnce({ ...placeOf(world), ...session.last })
      return same(answer, model.replay(user, session, nowMs), asked)
    }
    case 'change':
      return change(world, it, asked)
    case 'changeTwice':
      return changeTwice(world, it)
    case 'revoke': {
      const answer = await manage(world, ['DELETE', `${user.path}/sessions/${session.id}`])
      return same(answer, model.revoke(user, session), asked)
    }
    case 'revokeOthers': {
      const expected = model.revokeOthers(user, session, { access, nowMs })
      const path = `${own}/revoke?target=others`
      return same(await asUser(world, access.token, ['POST', path]), expected, asked)
    }
    case 'revokeByToken': {
      const [token = ''] = session.refreshTokens
      const answer = await refreshOnce({ ...placeOf(world), token, path: '/v1/session/revoke' })
      return same(answer, model.revokeByToken(session), asked)
    }
  }
}

/** What the back end is told of the sessions, and what every access token there ever was may do now. */
async function lookAround(world: World, user: model.User): Promise<void> {
  const { nowMs } = world
  const active = user.sessions.filter((session) => model.isActive(user, session, nowMs))
  const expected = timesOf(active.map(({ id, seenMs, endsMs }) => shown(id, seenMs, endsMs)))
  const expectListed = ({ status, body }: Answer, what: string) => {
    const listed = body?.['sessions'] as readonly Readonly<Record<string, string>>[]
    expect({ status, ids: timesOf(listed), what }).toEqual({ status: 200, ids: expected, what })
  }
  const told = await manageLater(world, `${user.path}/sessions?limit=200`)
  if (user.deleted) same(told, model.nobody, { user })
  else expectListed(told, user.path)
  for (const session of user.sessions) {
    for (const access of session.accessTokens.slice(-2)) {
      const answer = await asUser(world, access.token, ['GET', `${own}/list?limit=100`])
      if (model.isGood(user, session, { access, nowMs })) expectListed(answer, session.id)
      else same(answer, { status: 401, code: 'unauthorized' }, { list: session.id })
    }
  }
}

const shown = (id: string, seenMs: number, endsMs: number) => ({
  id,
  last_seen_at: new Date(seenMs).toISOString(),
  expires_at: new Date(endsMs).toISOString(),
})

const timesOf = (listed: readonly Readonly<Record<string, string>>[]) =>
  listed.map(({ id, last_seen_at, expires_at }) => `${id} ${last_seen_at} ${expires_at}`).toSorted()

async function executeCommand(world: World, asked: Command): Promise<void> {
  if (asked.kind === 'pass') return pass(world, asked.ms)
  if (asked.kind === 'restart') {
    await world.restart()
    return world.setTime(world.nowMs)
  }
  if (asked.kind === 'create') return create(world, asked.identifiers)
  if (asked.kind === 'find') return find(world, asked.identifier)
  const user = world.users[asked.user % world.users.length]
  if (!user) throw new Error('there is no user')
  await onUser(world, asked, user)
  await lookAround(world, user)
}

/** What a rate would refuse is asked an hour later. */
let rates = 0
const nowMs = () => rates

/** The same questions of worlds of their own, so often. */
async function compare(place: Place, numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(commands, async (all) => {
      place.setTime(start)
      const world = await newWorld(place)
      for (const asked of all) {
        rates += 3_600_000
        await executeCommand(world, asked)
      }
    }),
    { seed, numRuns, endOnFailure: true },
  )
}

test(`every answer is the model's, the clock moving and the service starting again (seed ${seed})`, async () => {
  let vigil = await openVigil({ nowMs })
  try {
    vigil.setTime(start)
    const { token } = await openCustomer(vigil)
    const place: Place = {
      door: () => vigil.door,
      doorThatHeard: async () => vigil.door,
      setTime: (timeMs) => vigil.setTime(timeMs),
      restart: async () => {
        vigil = await vigil.restart()
      },
      token,
    }
    await compare(place, 4)
  } finally {
    await vigil.close()
  }
})

test(`every answer is the model's, the clock moving and two instances asked in turn (seed ${seed})`, async () => {
  let timeMs = start
  const { a, b } = await openTwoInstances({ door: { nowMs }, nowMs: () => timeMs })
  const { token } = await openCustomer(a)
  let asked = 0
  const next = () => {
    asked += 1
    return asked % 2 === 0 ? a : b
  }
  const place: Place = {
    door: () => next().door,
    doorThatHeard: async () => {
      const { door, context } = next()
      const head = await context.events.head()
      await eventually(() => context.followed.position >= head)
      // a refresh waits for no read model
      expect(await context.projections.waitFor(head, 30_000)).toBe(true)
      return door
    },
    setTime: (time) => {
      timeMs = time
    },
    restart: async () => undefined,
    token,
  }
  await compare(place, 3)
})
