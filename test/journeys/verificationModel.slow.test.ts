/** Sender IDs and templates against a plain model. */

import fc from 'fast-check'
import { test } from 'vitest'
import { seedOfRun as seed } from '../support/seedOfRun.ts'
import {
  type AskedOf,
  type Game,
  ok,
  playAgainstModel,
  refused,
} from './support/playAgainstModel.ts'

const base = '/v2/verification/management'

type Sender = { sender_id: string; status: string; reason?: string }
type Template = { id: string } & Record<string, unknown>

/** All that stands of an account, in the order made. */
interface Settings {
  readonly senders: readonly Sender[]
  readonly templates: readonly Template[]
}

interface Situation {
  /** The ids of the templates that stand there. */
  readonly templates: readonly string[]
  readonly account: string
}

type Command = (situation: Situation) => AskedOf<Settings>

const reason = fc.option(fc.constantFrom('fraud', 'friend'), { nil: undefined })

const senderId = fc.constantFrom('Ada', 'Grace', '12345')

const submit = senderId.map(
  (sender_id): Command =>
    () => ({
      send: { method: 'POST', path: `${base}/sender-id`, body: { sender_id } },
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
    ({ account }) => {
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
      send: { method: 'POST', path: `${base}/templates`, body: { name, ...given } },
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
    ({ templates }) => {
      const id = templates[place] ?? `template_${'0'.repeat(26)}`
      const body = method === 'PATCH' ? { body: patch } : {}
      return {
        send: { method, path: `${base}/templates/${id}`, ...body },
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

const game: Game<Settings, Situation> = {
  command: fc.oneof(
    { weight: 2, arbitrary: submit },
    { weight: 2, arbitrary: decide },
    { weight: 2, arbitrary: createTemplate },
    { weight: 3, arbitrary: changeTemplate },
  ),
  begin: async ({ accountId: account }) => ({
    first: { senders: [], templates: [] },
    situationOf: ({ templates }) => ({ templates: templates.map(({ id }) => id), account }),
  }),
  withoutExpired: (settings) => settings,
  readAll: async (read) => {
    const senders = await read(`${base}/sender-id`, 'sender_ids')
    return {
      senders: (senders as (Sender & Record<string, string>)[]).map(
        ({ submitted_at: _, decided_at: __, ...sender }) => sender,
      ),
      templates: await read(`${base}/templates`, 'templates'),
    }
  },
}

test(`the verification settings do what the model does (seed ${seed})`, async () => {
  await playAgainstModel(game)
}, 600_000)
