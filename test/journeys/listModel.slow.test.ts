/** Phone lists and named lists against a plain model, evaluations that ask a list among the commands. */

import fc from 'fast-check'
import { test } from 'vitest'
import { seedOfRun as seed } from '../support/seedOfRun.ts'
import {
  type AskedOf,
  type Game,
  minuteMs,
  ok,
  playAgainstModel,
  refused,
} from './support/playAgainstModel.ts'

const base = '/v2/watch/management/lists'
const phones = ['allow', 'block']
const isoTime = (timeMs: number) => new Date(timeMs).toISOString()

type Entry = { created_at: string; reason?: string; expires_at?: string }
type List = { id: string; name: string; kind: string; description?: string }

/** The named lists in the order made, and what stands on each list in the order added. */
interface Kept {
  readonly lists: readonly List[]
  readonly entries: Readonly<Record<string, readonly Entry[]>>
}

type Asked = AskedOf<Kept>

interface Situation {
  /** The ids of the named lists; the first is asked by a rule. */
  readonly ids: readonly string[]
  readonly flow: string
  readonly nowMs: number
}

type Command = (situation: Situation) => Asked

const nowhere = `lst_${'0'.repeat(26)}`

/** The same two people, written in several ways. */
const email = fc.constantFrom('ann@example.com', 'Ann@Example.COM', 'bob@example.com')
const phone = fc.integer({ min: 1, max: 4 }).map((last) => `+1213373400${last}`)
const place = fc.integer({ min: 0, max: 2 })
const text = fc.option(fc.constantFrom('press', 'staff'), { nil: undefined })
const said = (name: string, of: unknown) => (of === undefined ? {} : { [name]: of })

const create = fc.tuple(fc.constantFrom('vip', 'staff', 'press'), text).map(
  ([name, description]): Command =>
    () => ({
      send: {
        method: 'POST',
        path: base,
        body: { name, kind: 'email_address', ...said('description', description) },
      },
      model: (before, { given: { body } }) => {
        if (before.lists.some((list) => list.name === name)) {
          return [refused(409, 'conflict'), before]
        }
        const id = String(body['id'])
        const made = { id, name, kind: 'email_address', ...said('description', description) }
        const after = { lists: [...before.lists, made], entries: { ...before.entries, [id]: [] } }
        return [ok(201, made), after]
      },
    }),
)

/** About the named list at a place, or about none. */
const about = (
  of: fc.Arbitrary<(id: string, situation: Situation) => Omit<Asked, 'model'> & { on: On }>,
): fc.Arbitrary<Command> =>
  fc.tuple(place, of).map(
    ([at, made]): Command =>
      (situation) => {
        const id = situation.ids[at] ?? nowhere
        const { send, on } = made(id, situation)
        const model: Asked['model'] = (before) => {
          const list = before.lists.find((one) => one.id === id)
          return list ? on(before, list) : [refused(404, 'not_found'), before]
        }
        return { send, model }
      },
  )

type On = (before: Kept, list: List) => ReturnType<Asked['model']>

const describeList = about(
  text.map((description) => (id) => ({
    send: { method: 'PUT', path: `${base}/${id}`, body: { ...said('description', description) } },
    on: (before, { description: _, ...list }) => {
      const now = { ...list, ...said('description', description) }
      const lists = before.lists.map((one) => (one.id === id ? now : one))
      return [ok(200, now), { ...before, lists }]
    },
  })),
)

const deleteList = about(
  fc.constant((id, { ids }) => ({
    send: { method: 'DELETE', path: `${base}/${id}` },
    on: (before) => {
      if (id === ids[0]) return [refused(409, 'list_in_use'), before]
      const { [id]: _, ...entries } = before.entries
      return [ok(204, {}), { lists: before.lists.filter((one) => one.id !== id), entries }]
    },
  })),
)

/** The list of an entry, and the entry as it is sent and kept; on a phone list a number, on a named one an address. */
const onList = fc.oneof(
  fc.tuple(fc.constantFrom(...phones), phone).map(([list, value]) => () => ({
    list,
    path: `/v2/verification/management/phone-numbers/${list}`,
    given: { phone_number: value },
    kept: { phone_number: value },
  })),
  fc.tuple(place, email).map(([at, value]) => ({ ids }: Situation) => {
    const list = ids[at] ?? nowhere
    const kept = { value: value.toLowerCase() }
    return { list, path: `${base}/${list}/entries`, given: { value }, kept }
  }),
)

const rounds = fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined })

const addEntry = fc.tuple(onList, text, rounds).map(
  ([made, reason, ending]): Command =>
    (situation) => {
      const { list, path, given, kept } = made(situation)
      const ends = ending === undefined ? undefined : isoTime(situation.nowMs + ending * minuteMs)
      const more = { ...said('reason', reason), ...said('expires_at', ends) }
      return {
        send: { method: 'POST', path, body: { ...given, ...more } },
        model: (before, { nowMs }) => {
          const all = before.entries[list]
          if (!all) return [refused(404, 'not_found'), before]
          const standing = all.find(isOf(kept))
          const entry = { ...kept, created_at: standing?.created_at ?? isoTime(nowMs), ...more }
          const now = standing
            ? all.map((one) => (one === standing ? entry : one))
            : [...all, entry]
          return [ok(201, kept), withEntries(before, list, now)]
        },
      }
    },
)

const removeEntry = onList.map(
  (made): Command =>
    (situation) => {
      const { list, path, given, kept } = made(situation)
      return {
        send: { method: 'DELETE', path, body: given },
        model: (before) => {
          const all = before.entries[list]
          if (!all) return [refused(404, 'not_found'), before]
          const left = all.filter((one) => !isOf(kept)(one))
          return [ok(202, kept), withEntries(before, list, left)]
        },
      }
    },
)

const isOf = (kept: object) => (entry: object) =>
  Object.entries(kept).every(([name, value]) => Reflect.get(entry, name) === value)

/** Of the verdict alone: what else is answered has ids of its own. */
const evaluate = email.map(
  (email_address): Command =>
    ({ flow, ids }) => ({
      send: {
        method: 'POST',
        path: '/v2/watch/eval',
        body: { flow_id: flow, target: { phone_number: '+12133734001', email_address } },
      },
      model: (before, { given: { body } }) => {
        const standing = before.entries[ids[0] ?? ''] ?? []
        const isListed = standing.some(isOf({ value: email_address.toLowerCase() }))
        return [ok(200, { ...body, verdict: isListed ? 'FLAG' : 'PASS' }), before]
      },
    }),
)

function withEntries(before: Kept, id: string, now: readonly Entry[]): Kept {
  return { ...before, entries: { ...before.entries, [id]: now } }
}

const game: Game<Kept, Situation> = {
  command: fc.oneof(
    { weight: 2, arbitrary: create },
    { weight: 1, arbitrary: describeList },
    { weight: 1, arbitrary: deleteList },
    { weight: 8, arbitrary: addEntry },
    { weight: 5, arbitrary: removeEntry },
    { weight: 4, arbitrary: evaluate },
  ),
  begin: async (shop) => {
    const asked = await shop.list('asked', 'email_address')
    const flow = await shop.flowOf('inList("asked", target.email_address)')
    const list = { id: asked, name: 'asked', kind: 'email_address' }
    return {
      first: { lists: [list], entries: { allow: [], block: [], [asked]: [] } },
      situationOf: ({ lists }, nowMs) => ({ ids: lists.map(({ id }) => id), flow, nowMs }),
    }
  },
  withoutExpired: ({ lists, entries }, nowMs) => {
    const stands = ({ expires_at }: Entry) =>
      expires_at === undefined || Date.parse(expires_at) > nowMs
    const standing = Object.entries(entries).map(([id, all]) => [id, all.filter(stands)] as const)
    return { lists, entries: Object.fromEntries(standing) }
  },
  readAll: async (read) => {
    const lists: readonly List[] = await read(base, 'lists')
    const entries: Record<string, readonly Entry[]> = {}
    for (const { id } of lists) entries[id] = await read(`${base}/${id}/entries`, 'entries')
    for (const list of phones) {
      const path = `/v2/verification/management/phone-numbers/${list}`
      entries[list] = await read(path, 'phone_numbers')
    }
    return { lists, entries }
  },
}

test(`lists do what the model does (seed ${seed})`, async () => {
  await playAgainstModel(game)
}, 600_000)
