/**
 * Applications, users, identifiers, sessions and their tokens against a plain model: random requests with a clock that moves and restarts,
 * and the same on two instances of which any is asked. Every answer is compared with that of the model.
 */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Door } from '../http/support/openDoor.ts'
import { caughtUp } from '../support/caughtUp.ts'
import { eventually } from '../support/eventually.ts'
import { openTwoInstances } from '../support/openTwoInstances.ts'
import { openCustomer, openVigil } from '../support/openVigil.ts'
import { seedOfRun as seed } from '../support/seedOfRun.ts'

const start = Date.UTC(2026, 10, 21, 9, 30)
const accessMs = 300_000
const refreshMs = 600_000
const settings = {
  tokens: { access_seconds: accessMs / 1_000, refresh_seconds: refreshMs / 1_000 },
}

type Body = Record<string, unknown>

interface Session {
  readonly id: string
  readonly token: string
  readonly startedMs: number
  revoked: boolean
}

interface User {
  readonly id: string
  readonly app: number
  readonly identifiers: readonly string[]
  readonly sessions: Session[]
  deleted: boolean
}

/** All there is. */
interface Model {
  readonly apps: { readonly id: string; retired: boolean }[]
  readonly users: User[]
  nowMs: number
}

/** What is asked of whom. */
interface World {
  readonly apps: readonly string[]
  readonly token: string
  /** Of whichever instance. */
  readonly door: (instance: number) => Door
  /** Absent where the clock is nobody's to move. */
  readonly setTime?: (nowMs: number) => void
  readonly restart?: () => Promise<void>
  /** Waits until the instance has heard of all that was written: what a token may do is true everywhere within a second, not at once. */
  readonly heard?: (instance: number) => Promise<void>
}

type Command =
  | { readonly kind: 'create'; readonly app: number; readonly identifiers: readonly string[] }
  | { readonly kind: 'find'; readonly app: number; readonly identifier: string }
  | { readonly kind: 'get' | 'delete' | 'start' | 'list' | 'revokeAll'; readonly user: number }
  | { readonly kind: 'revoke' | 'mine'; readonly user: number; readonly session: number }
  | { readonly kind: 'revokeOthers'; readonly user: number; readonly session: number }
  | { readonly kind: 'retire'; readonly app: number }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'restart' }

const app = fc.constantFrom(0, 1)
const identifier = fc.constantFrom('a', 'b', 'c', 'd')
const identifiers = fc.uniqueArray(identifier, { minLength: 1, maxLength: 3 })
const user = fc.nat(2)
const session = fc.nat(3)
const ofUser = fc.constantFrom(
  'get',
  'start',
  'start',
  'start',
  'list',
  'list',
  'revokeAll',
  'delete',
)

const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('create' as const), app, identifiers }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('find' as const), app, identifier }) },
  { weight: 9, arbitrary: fc.record({ kind: ofUser as fc.Arbitrary<'get'>, user }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('revoke' as const), user, session }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('mine' as const), user, session }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('revokeOthers' as const), user, session }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      ms: fc.constantFrom(1_000, accessMs - 1_000, refreshMs / 2, refreshMs - 1_000),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'restart' as const }) },
)
/** The last application may be retired, late. */
const commands = fc
  .tuple(fc.array(command, { minLength: 25, maxLength: 40 }), fc.array(command, { maxLength: 10 }))
  .map(([before, after]): Command[] => [...before, { kind: 'retire', app: 1 }, ...after])

interface Answer {
  readonly status: number
  readonly body: unknown
}

const refusal = (status: number, code: string): Answer => ({ status, body: { code } })
const noApp = refusal(404, 'app_not_found')
const nobody = refusal(404, 'not_found')
const done: Answer = { status: 204, body: undefined }

const isActive = ({ nowMs, apps }: Model, one: User, { revoked, startedMs }: Session): boolean =>
  !one.deleted && !apps[one.app]?.retired && !revoked && startedMs + refreshMs > nowMs
/** A token is good for five seconds longer than it says, since clocks may be apart. */
const isValid = ({ nowMs }: Model, { startedMs }: Session): boolean =>
  Math.floor(startedMs / 1_000) * 1_000 + accessMs + 5_000 > nowMs
const activeIds = (model: Model, one: User): readonly string[] =>
  one.sessions.filter((it) => isActive(model, one, it)).map(({ id }) => id)

const view = ({ id, identifiers: known }: User) => ({
  id,
  identifiers: known.map((value) => ({ type: 'customer_user_id', value })),
})

/** The ids of a list, in the order of the alphabet: what was seen in the same millisecond has an order of its own. */
const idsOf = (list: unknown): readonly string[] =>
  (list as readonly { readonly id: string }[]).map(({ id }) => id).sort()

interface Step {
  readonly world: World
  readonly model: Model
  readonly instance: number
}

async function ask(
  { world, instance }: Step,
  method: string,
  [path, body]: readonly [string, (object | undefined)?],
) {
  const { status, body: answer } = await world.door(instance).request<Body>(method, path, {
    token: world.token,
    ...(body && { body }),
  })
  return { status, body: answer }
}

const pathOf = ({ world }: Step, of: number) => `/v2/session/apps/${world.apps[of]}/users`

/** What is compared of a refusal is its code. */
function same(answer: Answer, expected: Answer, what: object): void {
  const shown = answer.status >= 400 ? { code: (answer.body as Body)['code'] } : answer.body
  const body = expected.body === undefined ? undefined : shown
  expect({ status: answer.status, body, ...what }).toEqual({ ...expected, ...what })
}

async function create(step: Step, { app: of, identifiers: wanted }: Command & { kind: 'create' }) {
  const { model } = step
  const known = wanted.map((value) => ({ type: 'customer_user_id', value }))
  const answer = await ask(step, 'POST', [pathOf(step, of), { identifiers: known }])
  const isTaken = model.users.some(
    (one) =>
      one.app === of && !one.deleted && one.identifiers.some((value) => wanted.includes(value)),
  )
  if (model.apps[of]?.retired) return same(answer, noApp, { wanted })
  if (isTaken) return same(answer, refusal(409, 'identifier_already_exists'), { wanted })
  const id = String((answer.body as Body)['id'])
  const made = { id, app: of, identifiers: wanted, sessions: [], deleted: false }
  const { created_at: _, ...shown } = answer.body as Body
  same({ ...answer, body: shown }, { status: 201, body: view(made) }, { wanted })
  model.users.push(made)
}

async function find(step: Step, { app: of, identifier: value }: Command & { kind: 'find' }) {
  const { model } = step
  const path = `${pathOf(step, of)}?type=customer_user_id&value=${value}`
  const answer = await ask(step, 'GET', [path])
  const found = model.users.filter(
    (one) => one.app === of && !one.deleted && one.identifiers.includes(value),
  )
  const users = idsOf((answer.body as Body)['users'])
  same({ ...answer, body: users }, { status: 200, body: found.map(({ id }) => id) }, { value })
}

async function onUser(step: Step, kind: Command['kind'], one: User): Promise<void> {
  const { model } = step
  const path = `${pathOf(step, one.app)}/${one.id}`
  const [method, at, body] = (
    {
      get: ['GET', path],
      delete: ['DELETE', path],
      start: ['POST', `${path}/sessions`, {}],
      list: ['GET', `${path}/sessions`],
      revokeAll: ['DELETE', `${path}/sessions`],
    } as Record<string, [string, string, object?]>
  )[kind] as [string, string, object?]
  const answer = await ask(step, method, [at, body])
  const what = { kind, user: one.id }
  const isRetired = model.apps[one.app]?.retired
  // the users of an application that is retired can be found and erased
  if (isRetired && kind !== 'get' && kind !== 'delete') return same(answer, noApp, what)
  // who was deleted can be deleted again
  if (one.deleted && kind !== 'delete') return same(answer, nobody, what)
  const given = answer.body as Body
  switch (kind) {
    case 'get': {
      const { created_at: _, ...shown } = given
      return same({ ...answer, body: shown }, { status: 200, body: view(one) }, what)
    }
    case 'delete':
      one.deleted = true
      return same(answer, done, what)
    case 'revokeAll':
      for (const it of one.sessions) it.revoked = true
      return same(answer, done, what)
    case 'list': {
      const ids = idsOf(given['sessions'])
      const expected = [...activeIds(model, one)].sort()
      return same({ ...answer, body: ids }, { status: 200, body: expected }, what)
    }
    default: {
      expect({ status: answer.status, ...what }).toEqual({ status: 201, ...what })
      const { id } = given['session'] as { readonly id: string }
      const startedMs = model.nowMs
      one.sessions.push({ id, token: String(given['access_token']), startedMs, revoked: false })
    }
  }
}

async function revoke(step: Step, one: User, it: Session): Promise<void> {
  const { model } = step
  const path = `${pathOf(step, one.app)}/${one.id}/sessions/${it.id}`
  const answer = await ask(step, 'DELETE', [path])
  if (model.apps[one.app]?.retired) return same(answer, noApp, { path })
  if (one.deleted) return same(answer, nobody, { path })
  it.revoked = true
  same(answer, done, { path })
}

/** What the user asks with the access token of a session. */
async function asUser(step: Step, method: string, { path, it, one }: OfSession) {
  const { world, model, instance } = step
  await world.heard?.(instance)
  const { status, body } = await world.door(instance).request<Body>(method, path, {
    token: it.token,
    headers: { host: `${world.apps[one.app]}.session.localhost` },
  })
  const isGone = model.apps[one.app]?.retired
  const isIn = isActive(model, one, it) && isValid(model, it)
  const refused = isGone
    ? refusal(404, 'not_found')
    : isIn
      ? undefined
      : refusal(401, 'unauthorized')
  return { answer: { status, body }, refused }
}

interface OfSession {
  readonly path: string
  readonly one: User
  readonly it: Session
}

async function mine(step: Step, one: User, it: Session): Promise<void> {
  const path = '/v1/session/me/list?limit=100'
  const { answer, refused } = await asUser(step, 'GET', { path, one, it })
  const what = { mine: it.id }
  if (refused) return same(answer, refused, what)
  const { sessions, total } = answer.body as Body
  const active = activeIds(step.model, one)
  expect({ status: answer.status, ids: idsOf(sessions), total, ...what }).toEqual({
    status: 200,
    ids: [...active].sort(),
    total: active.length,
    ...what,
  })
}

async function revokeOthers(step: Step, one: User, it: Session): Promise<void> {
  const path = '/v1/session/me/revoke?target=others'
  const { answer, refused } = await asUser(step, 'POST', { path, one, it })
  if (refused) return same(answer, refused, { others: it.id })
  for (const other of one.sessions) if (other !== it) other.revoked = true
  same(answer, done, { others: it.id })
}

async function executeCommand(step: Step, asked: Command): Promise<void> {
  const { world, model } = step
  switch (asked.kind) {
    case 'create':
      return create(step, asked)
    case 'find':
      return find(step, asked)
    case 'retire': {
      const answer = await ask(step, 'DELETE', [`/v2/session/apps/${world.apps[asked.app]}`])
      same(answer, done, asked)
      const retired = model.apps[asked.app]
      if (retired) retired.retired = true
      // the settings of an application are those that the instance has heard of
      await world.heard?.(step.instance + 1)
      return
    }
    case 'pass':
      if (!world.setTime) return
      model.nowMs += asked.ms
      return world.setTime(model.nowMs)
    case 'restart':
      return world.restart?.()
  }
  const one = model.users[asked.user % Math.max(1, model.users.length)]
  if (!one) return
  if ('session' in asked) await onSession(step, asked, one)
  else await onUser(step, asked.kind, one)
  // every token of the user is asked what is true of it from now on, wherever
  const instance = step.instance + 1
  for (const it of one.sessions) await mine({ ...step, instance }, one, it)
}

async function onSession(
  step: Step,
  { kind, session: index }: Command & { readonly session: number },
  one: User,
): Promise<void> {
  const it = one.sessions[index % Math.max(1, one.sessions.length)]
  if (!it) return
  if (kind === 'revoke') return revoke(step, one, it)
  return kind === 'mine' ? mine(step, one, it) : revokeOthers(step, one, it)
}

async function live(world: World, all: readonly Command[]): Promise<void> {
  const apps = world.apps.map((id) => ({ id, retired: false }))
  const model: Model = { apps, users: [], nowMs: world.setTime ? start : Date.now() }
  for (const [instance, asked] of all.entries())
    await executeCommand({ world, model, instance }, asked)
}

let registered = 0
async function newApps(door: Door, token: string): Promise<readonly string[]> {
  const ids = [`one${1_000 + registered}`, `two${1_000 + registered}`]
  registered += 1
  for (const app_id of ids) {
    const body = { name: 'Shop', app_id, settings }
    await door.request('POST', '/v2/session/apps', { token, body })
  }
  return ids
}

test(`every answer is the model's, the clock moving and the service starting again (seed ${seed})`, async () => {
  let vigil = await openVigil()
  try {
    vigil.setTime(start)
    const { token } = await openCustomer(vigil)
    await fc.assert(
      fc.asyncProperty(commands, async (all) => {
        vigil.setTime(start)
        let nowMs = start
        const apps = await newApps(vigil.door, token)
        const world: World = {
          apps,
          token,
          door: () => vigil.door,
          setTime: (time) => {
            nowMs = time
            vigil.setTime(time)
          },
          restart: async () => {
            vigil = await vigil.restart()
            vigil.setTime(nowMs)
          },
        }
        await live(world, all)
      }),
      { seed, numRuns: 3, endOnFailure: true },
    )
  } finally {
    await vigil.close()
  }
}, 240_000)

test(`every answer is the model's, whichever of two instances is asked (seed ${seed})`, async () => {
  const { a, b } = await openTwoInstances()
  const { token } = await openCustomer(a)
  await fc.assert(
    fc.asyncProperty(commands, async (all) => {
      const apps = await newApps(a.door, token)
      const of = (instance: number) => (instance % 2 === 0 ? a : b)
      const heard = async (instance: number) => {
        const { events, followed } = of(instance).context
        const head = await events.head()
        await eventually(() => followed.position >= head)
        // what the other has written is waited for there, not here
        await caughtUp(of(instance))
      }
      await live({ apps, token, door: (instance) => of(instance).door, heard }, all)
    }),
    { seed, numRuns: 2, endOnFailure: true },
  )
}, 240_000)
