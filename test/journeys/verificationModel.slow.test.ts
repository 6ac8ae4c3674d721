/**
 * Phone lists, sender IDs and templates against a plain model: random commands of several clients at once, with restarts in between.
 * What is done at once must be answered, and read afterwards, as the model has it in one of its orders; at the end the read models are
 * built again from the log and must say the same.
 */

import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type Customer,
  openCustomer,
  openVigil,
  operatorToken,
  type Vigil,
} from '../support/openVigil.ts'
import { seedOfRun as seed } from '../support/seedOfRun.ts'
import { type Answer, type AskedOf, outcomes } from './support/outcomes.ts'

const start = Date.UTC(2026, 10, 21, 9, 30)
const minuteMs = 60_000
const base = '/v2/verification/management'
const lists = ['allow', 'block'] as const
const isoTime = (timeMs: number) => new Date(timeMs).toISOString()

type Entry = { phone_number: string; created_at: string; reason?: string; expires_at?: string }
type Sender = { sender_id: string; status: string; reason?: string }
type Template = { id: string } & Record<string, unknown>

/** All that stands of an account, in the order of its lists. */
interface Settings {
  readonly allow: readonly Entry[]
  readonly block: readonly Entry[]
  readonly senders: readonly Sender[]
  readonly templates: readonly Template[]
}

type Asked = AskedOf<Settings> & { readonly operator?: true }

/** A command, which may be about a template that stands there. */
type Command = (templates: readonly string[], account: string, nowMs: number) => Asked

const ok = (status: number, body: Record<string, unknown>): Answer => ({ status, body })
const refused = (status: number, code: string): Answer => ({ status, body: { code } })

const list = fc.constantFrom(...lists)
const phone = fc.integer({ min: 1, max: 4 }).map((last) => `+1213373400${last}`)
const reason = fc.option(fc.constantFrom('fraud', 'friend'), { nil: undefined })

const addPhone = fc
  .tuple(list, phone, reason, fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }))
  .map(
    ([of, phone_number, why, rounds]): Command =>
      (_templates, _account, sentMs) => {
        const ends = rounds === undefined ? undefined : isoTime(sentMs + rounds * minuteMs)
        const said = {
          ...(why !== undefined && { reason: why }),
          ...(ends !== undefined && { expires_at: ends }),
        }
        return {
          send: { method: 'POST', path: `/phone-numbers/${of}`, body: { phone_number, ...said } },
          model: (before, { nowMs }) => {
            const standing = before[of].find((one) => one.phone_number === phone_number)
            const created_at = standing?.created_at ?? isoTime(nowMs)
            const entry = { phone_number, created_at, ...said }
            const after = standing
              ? before[of].map((one) => (one === standing ? entry : one))
              : [...before[of], entry]
            return [ok(201, { phone_number }), { ...before, [of]: after }]
          },
        }
      },
  )

const deletePhone = fc.tuple(list, phone).map(
  ([of, phone_number]): Command =>
    () => ({
      send: { method: 'DELETE', path: `/phone-numbers/${of}`, body: { phone_number } },
      model: (before) => [
        ok(202, { phone_number }),
        { ...before, [of]: before[of].filter((one) => one.phone_number !== phone_number) },
      ],
    }),
)

const senderId = fc.constantFrom('Ada', 'Grace', '12345')

const submit = senderId.map(
  (sender_id): Command =>
    () => ({
      send: { method: 'POST', path: '/sender-id', body: { sender_id } },
      model: (before) => {
        const standing = before.senders.find((one) => one.sender_id === sender_id)
        if (standing && standing.status !== 'rejected') return [ok(200, standing), before]
        const anew = { sender_id, status: 'pending' }
        return [ok(200, anew), { ...before, senders: placed(before.senders, standing, anew) }]
      },
    }),
)

const decide = fc.tuple(senderId, fc.constantFrom('approve', 'reject'), reason).map(
  ([sender_id, decision, given]): Command =>
    (_templates, account) => {
      const why = decision === 'reject' ? (given ?? 'no') : given
      const said = { sender_id, ...(why !== undefined && { reason: why }) }
      return {
        operator: true,
        send: {
          method: 'POST',
          path: `/v2/operator/accounts/${account}/sender-ids/${decision}`,
          body: said,
        },
        model: (before) => {
          const standing = before.senders.find((one) => one.sender_id === sender_id)
          if (!standing) return [refused(404, 'not_found'), before]
          const status = decision === 'reject' ? 'rejected' : 'approved'
          const now = { ...said, status }
          return [ok(200, now), { ...before, senders: placed(before.senders, standing, now) }]
        },
      }
    },
)

const defaults = {
  kind: 'optimized',
  code_size: 6,
  ttl_minutes: 10,
  max_retries: 3,
  retry_delay_seconds: 30,
  per_phone_number_limit: 5,
  sliding_window_hours: 24,
} as const

const fields = fc.record(
  {
    kind: fc.constantFrom('psd2', 'optimized', null),
    code_size: fc.constantFrom(4, 6, 9, null),
    ttl_minutes: fc.constantFrom(5, 10, null),
  },
  { requiredKeys: [] },
)

/** The content after a merge patch (RFC 7386); undefined when the size of its code is refused. */
function merged(content: object, patch: object): Record<string, unknown> | undefined {
  const after: Record<string, unknown> = { ...content }
  for (const [field, value] of Object.entries(patch)) {
    after[field] = value ?? Reflect.get(defaults, field)
  }
  return Number(after['code_size']) > 8 ? undefined : after
}

const createTemplate = fc.tuple(fc.constantFrom('A', 'B'), fields).map(
  ([name, given]): Command =>
    () => ({
      send: { method: 'POST', path: '/templates', body: { name, ...given } },
      model: (before, { given: { body } }) => {
        const content = merged({ name, ...defaults }, given)
        if (!content) return [refused(400, 'invalid_code_size'), before]
        const made = { id: String(body['id']), ...content }
        return [ok(201, made), { ...before, templates: [...before.templates, made] }]
      },
    }),
)

/** About the template at a place among those that stand there, or about none. */
const aboutTemplate = fc.tuple(
  fc.integer({ min: 0, max: 3 }),
  fc.constantFrom('GET', 'PATCH', 'PATCH', 'DELETE'),
  fields,
)
const changeTemplate = aboutTemplate.map(
  ([place, method, patch]): Command =>
    (templates) => {
      const id = templates[place] ?? `template_${'0'.repeat(26)}`
      const body = method === 'PATCH' ? { body: patch } : {}
      return {
        send: { method, path: `/templates/${id}`, ...body },
        model: (before) => {
          const standing = before.templates.find((one) => one.id === id)
          if (!standing) return [refused(404, 'template_not_found'), before]
          if (method === 'GET') return [ok(200, standing), before]
          if (method === 'DELETE') {
            const others = before.templates.filter((one) => one !== standing)
            return [ok(200, { id }), { ...before, templates: others }]
          }
          const content = merged(standing, patch)
          if (!content) return [refused(400, 'invalid_code_size'), before]
          const now = { ...content, id }
          return [ok(200, now), { ...before, templates: placed(before.templates, standing, now) }]
        },
      }
    },
)

function placed<One>(all: readonly One[], standing: One | undefined, now: One): readonly One[] {
  if (standing === undefined) return [...all, now]
  return all.map((one) => (one === standing ? now : one))
}

const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 3, arbitrary: addPhone },
  { weight: 2, arbitrary: deletePhone },
  { weight: 2, arbitrary: submit },
  { weight: 2, arbitrary: decide },
  { weight: 2, arbitrary: createTemplate },
  { weight: 3, arbitrary: changeTemplate },
)

interface Round {
  /** Sent at once, each by another client. */
  readonly together: readonly Command[]
  readonly restart: boolean
}

const round: fc.Arbitrary<Round> = fc.record({
  together: fc.array(command, { minLength: 1, maxLength: 3 }),
  restart: fc.integer({ min: 1, max: 10 }).map((one) => one === 1),
})

test(`the verification settings do what the model does (seed ${seed})`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(round, { minLength: 6, maxLength: 14 }), play),
    // what is shrunk is played again, with services of its own
    { seed, numRuns: 6, endOnFailure: true },
  )
}, 600_000)

async function play(rounds: readonly Round[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'vigil-model-'))
  let vigil = await openVigil({ folder })
  const stop = async (): Promise<void> => {
    await vigil.door.close()
    await vigil.service.close()
  }
  try {
    const shop = await openCustomer(vigil)
    let possible: readonly Settings[] = [{ allow: [], block: [], senders: [], templates: [] }]
    let nowMs = start
    let position = 0
    for (const { together, restart } of rounds) {
      if (restart) {
        await stop()
        vigil = await openVigil({ folder })
      }
      nowMs += minuteMs
      vigil.setTime(nowMs)
      possible = possible.map((settings) => withoutExpired(settings, nowMs))
      const ids = possible[0]?.templates.map(({ id }) => id) ?? []
      const asked = together.map((one) => one(ids, shop.accountId, nowMs))
      const given = await Promise.all(asked.map((one) => ask(vigil, shop, one)))
      position = Math.max(position, ...given.map((one) => one.position))
      const seen = await readAll(vigil, shop, position)
      const before = possible
      possible = before
        .flatMap((settings) => outcomes(settings, asked, { given, nowMs }))
        .filter((settings) => isDeepStrictEqual(plain(settings), plain(seen)))
        .slice(0, 1)
      const told = asked.map(({ send }, index) => ({ send, answer: given[index] }))
      expect(possible, JSON.stringify({ before, told, seen }, null, 1)).toHaveLength(1)
    }
    await stop()
    const views = readdirSync(folder).filter((file) => file.startsWith('views.db'))
    expect(views).toContain('views.db')
    for (const file of views) rmSync(join(folder, file))
    vigil = await openVigil({ folder })
    vigil.setTime(nowMs)

    const rebuilt = await readAll(vigil, shop, position)

    expect(rebuilt).toEqual(possible[0])
  } finally {
    await vigil.close()
  }
}

function withoutExpired(settings: Settings, nowMs: number): Settings {
  const stands = ({ expires_at }: Entry) =>
    expires_at === undefined || Date.parse(expires_at) > nowMs
  return { ...settings, allow: settings.allow.filter(stands), block: settings.block.filter(stands) }
}

async function ask(
  { door }: Pick<Vigil, 'door'>,
  { token }: Pick<Customer, 'token'>,
  { send: { method, path, body }, operator }: Asked,
): Promise<Answer & { readonly position: number }> {
  const sent = { token: operator ? operatorToken : token, ...(body && { body }) }
  const received = await door.request(method, operator ? path : base + path, sent)
  const position = Number(received.headers['x-vigil-position'] ?? 0)
  return { status: received.status, body: received.body, position }
}

/** All lists as they are read, from a state that has passed the position. */
async function readAll(
  { door }: Pick<Vigil, 'door'>,
  { token }: Pick<Customer, 'token'>,
  position: number,
): Promise<Settings> {
  const read = async (path: string, name: string) => {
    const { status, body, text } = await door.request(
      'GET',
      `${base}${path}?min_position=${position}`,
      { token },
    )
    if (status !== 200) throw new Error(text)
    return body[name] as never[]
  }
  const senders = (await read('/sender-id', 'sender_ids')) as (Sender & Record<string, string>)[]
  return {
    allow: await read('/phone-numbers/allow', 'phone_numbers'),
    block: await read('/phone-numbers/block', 'phone_numbers'),
    senders: senders.map(({ submitted_at: _, decided_at: __, ...sender }) => sender),
    templates: await read('/templates', 'templates'),
  }
}

/** Without the order of fields. */
function plain(settings: Settings): Settings {
  return JSON.parse(JSON.stringify(settings)) as Settings
}
