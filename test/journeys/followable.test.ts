/**
 * Every answer that can be followed or paged, asked while events are recorded and projected between any two of its
 * reads: who follows it has everything once, in order, and nothing is missing before what came last.
 */

import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { managedAccountId } from '../../src/domain/ids.ts'
import { decode, type VigilEvent } from '../../src/events/catalogue.ts'
import type { DecodedEvent } from '../../src/events/recording/event.ts'
import { managedStream } from '../../src/events/rulebook/rulebook.ts'
import { openKeyring } from '../../src/stores/keys/keyring.ts'
import { listed } from '../http/support/everyRoute.ts'
import { openDoor } from '../http/support/openDoor.ts'
import { draws } from '../support/draws.ts'
import { memoryKeyStore } from '../support/memoryKeyStore.ts'
import { operatorToken } from '../support/openVigil.ts'
import { drawOf, openSteppedService, type SteppedService } from '../support/steppedService.ts'
import { writeFollowableLog } from './support/writeFollowableLog.ts'

type Body = Readonly<Record<string, unknown>>
type Sample = DecodedEvent<VigilEvent>

/** What is listed, by an id that item and event have in common, and the position of the event. */
interface Entry {
  readonly id: string
  readonly position: number
}

const random = { bytes: (count: number) => randomBytes(count) }
const keyring = await openKeyring({ store: memoryKeyStore(), masterKey: randomBytes(32), random })
const written = await writeFollowableLog(keyring, drawOf(7))
const { log, opened, shop, ids, rounds } = written
const samples: readonly Sample[] = log.map((recorded) => decode(recorded))
const sampleAt = new Map(samples.map((sample) => [sample.position, sample]))
const phone = encodeURIComponent(written.number)

/** The service of the sample that is drawn now. */
let world = await openSteppedService({ keyring, clock: { nowMs: () => 0 }, recorded: [] })
const door = await openDoor({
  get context() {
    return world.context
  },
  authenticate: (token) => world.service.authenticate(token),
  authenticateFrontEnd: (...key) => world.service.authenticateFrontEnd(...key),
  close: async () => undefined,
} as SteppedService['service'])
afterAll(() => door.close())

/** The events that fit, each by its position. */
const positionsOf = (fits: (sample: Sample) => boolean): readonly Entry[] =>
  samples.filter(fits).map(({ position }) => ({ id: String(position), position }))

const isOf = (type: VigilEvent['type']) => (sample: Sample) =>
  sample.event.type === type && sample.metadata.account === shop.accountId

/** By a field of the event, each when it comes first. */
function firstsOf(
  type: VigilEvent['type'],
  field: string,
  fits: (data: Body) => boolean = () => true,
) {
  const found = new Map<string, number>()
  for (const { event, metadata, position } of samples) {
    const id = String(Reflect.get(event.data, field))
    const isOwn = metadata.account === shop.accountId || metadata.account === managedAccountId
    const isWanted = event.type === type && (isOwn || type === 'AccountOpened')
    if (isWanted && fits(event.data as Body) && !found.has(id)) found.set(id, position)
  }
  return [...found].map(([id, position]): Entry => ({ id, position }))
}

/** Of the streams of this type in turn. */
function entriesOf(streamType: string, named: (round: number) => string): readonly Entry[] {
  const first = new Map<string, number>()
  for (const { stream, position } of samples) {
    if (stream.startsWith(`${streamType}-`) && !first.has(stream)) first.set(stream, position)
  }
  return [...first.values()].map((position, at) => ({ id: named(rounds[at] ?? 0), position }))
}

const byTime = (entries: readonly Entry[]): readonly Entry[] =>
  entries.toSorted((one, other) => timeOf(one) - timeOf(other))
const timeOf = ({ position }: Entry): number => sampleAt.get(position)?.metadata.time ?? 0

interface Followed {
  readonly path: string
  readonly operator?: true
  /** Of the answer; undefined for a file of lines. */
  readonly name?: string
  readonly idOf: (item: Body) => unknown
  /** In the order of the answer. */
  readonly expected: readonly Entry[]
  /** Whether everything later is left out of the answer, too; true unless given. */
  readonly isCut?: false
}

const position = (item: Body) => item['position']
const idOf = (item: Body) => item['id']
const authoring = '/v2/watch/management'
const management = '/v2/verification/management'
const apps = '/v2/session/apps'
const ofOperator = `/v2/operator/accounts/${shop.accountId}/apps`

const evaluations = positionsOf(isOf('FlowEvaluated'))
const ofPhone = keyring.subject(shop.accountId, 'phone', written.number)
const hasPhone = ({ metadata }: Sample) =>
  metadata.subjects?.some(({ digest }) => digest === ofPhone) ?? false
const reportsOf = (name: string, type: VigilEvent['type']) => ({
  ...{ name, idOf: position, expected: byTime(positionsOf(isOf(type))) },
})
const feedbacks = reportsOf('feedbacks', 'FeedbackReceived')
const reported = reportsOf('events', 'EventReported')
const byId = (path: string, name: string, expected: readonly Entry[]): Followed => ({
  ...{ path, name, idOf, expected },
})
const versionsOf = (
  type: VigilEvent['type'],
  field: string,
  id: string,
): Omit<Followed, 'path'> => ({
  name: 'versions',
  idOf: (item) => item['version_id'],
  expected: firstsOf(type, 'version_id', (data) => data[field] === id).toReversed(),
})
const sessions = {
  name: 'sessions',
  idOf,
  expected: byTime(firstsOf('SessionStarted', 'session_id')).toReversed(),
  // the order is made of all that a user has
  isCut: false,
} as const
const users = { name: 'users', idOf, expected: firstsOf('UserCreated', 'user_id') }
const registered = {
  name: 'apps',
  idOf: (item: Body) => item['app_id'],
  expected: firstsOf('AppRegistered', 'app_id'),
}
const values = entriesOf('list_entry', (round) => `value ${round}`)
const numbers = entriesOf('phone_list', (round) => `+3361234567${round}`)
const changesOf = (streamType: string) => {
  const [first] = entriesOf(streamType, String)
  const stream = sampleAt.get(first?.position ?? 0)?.stream
  return positionsOf((sample) => sample.stream === stream)
}
const managed = '/v2/operator/managed'
const managedRules = firstsOf('ManagedRulePublished', 'rule_id')
const managedRecipes = firstsOf('ManagedRecipePublished', 'recipe_id')
const senderIds = {
  name: 'sender_ids',
  idOf: (item: Body) => item['sender_id'],
  expected: firstsOf('SenderIdSubmitted', 'sender_id'),
}
const entries = { name: 'entries', idOf: (item: Body) => item['value'], expected: values }
const blocked = {
  name: 'phone_numbers',
  idOf: (item: Body) => item['phone_number'],
  expected: numbers,
}
const listPath = `${authoring}/lists/${ids.list}/entries`
const block = `${management}/phone-numbers/block`
const search = { name: 'evaluations', idOf: position }
const audit = '/v2/watch/audit/events'
const events = { name: 'events', idOf: position }
const isOwn = ({ metadata }: Sample) => metadata.account === shop.accountId

/** Lists with cursors, and those that are answered whole, by the operation that answers them. */
const paged: Readonly<Record<string, readonly Followed[]>> = {
  listRules: [byId(`${authoring}/rules`, 'rules', firstsOf('RulePublished', 'rule_id'))],
  listRecipes: [byId(`${authoring}/recipes`, 'recipes', firstsOf('RecipePublished', 'recipe_id'))],
  listFlows: [byId(`${authoring}/flows`, 'flows', firstsOf('FlowPublished', 'flow_id'))],
  listRuleVersions: [
    {
      path: `${authoring}/rules/${ids.rule}/versions`,
      ...versionsOf('RulePublished', 'rule_id', ids.rule),
    },
  ],
  listRecipeVersions: [
    {
      path: `${authoring}/recipes/${ids.recipe}/versions`,
      ...versionsOf('RecipePublished', 'recipe_id', ids.recipe),
    },
  ],
  listFlowVersions: [
    {
      path: `${authoring}/flows/${ids.flow}/versions`,
      ...versionsOf('FlowPublished', 'flow_id', ids.flow),
    },
  ],
  listManagedRules: [byId(`${authoring}/rules/managed`, 'rules', managedRules)],
  listManagedRecipes: [byId(`${authoring}/recipes/managed`, 'recipes', managedRecipes)],
  listOperatorRules: [{ ...byId(`${managed}/rules`, 'rules', managedRules), operator: true }],
  listOperatorRecipes: [
    { ...byId(`${managed}/recipes`, 'recipes', managedRecipes), operator: true },
  ],
  listManagedRuleVersions: [
    {
      path: `${managed}/rules/${ids.managedRule}/versions`,
      operator: true,
      ...versionsOf('ManagedRulePublished', 'rule_id', ids.managedRule),
    },
  ],
  listManagedRecipeVersions: [
    {
      path: `${managed}/recipes/${ids.managedRecipe}/versions`,
      operator: true,
      ...versionsOf('ManagedRecipePublished', 'recipe_id', ids.managedRecipe),
    },
  ],
  listLists: [byId(`${authoring}/lists`, 'lists', firstsOf('ListCreated', 'list_id'))],
  listListEntries: [{ path: listPath, ...entries }],
  listListEntryHistory: [
    {
      path: `${listPath}/history?value=value+1`,
      name: 'changes',
      idOf: position,
      expected: changesOf('list_entry'),
    },
  ],
  exportListEntries: [{ path: `${listPath}/export`, idOf: entries.idOf, expected: values }],
  listPhoneNumbers: [{ path: block, ...blocked }],
  listPhoneNumberHistory: [
    {
      path: `${block}/history?phone_number=%2B33612345671`,
      name: 'changes',
      idOf: position,
      expected: changesOf('phone_list'),
    },
  ],
  exportPhoneNumbers: [{ path: `${block}/export`, idOf: blocked.idOf, expected: numbers }],
  listTemplates: [
    byId(`${management}/templates`, 'templates', firstsOf('TemplateCreated', 'template_id')),
  ],
  listSenderIds: [{ path: `${management}/sender-id`, ...senderIds }],
  listSubmittedSenderIds: [{ path: '/v2/operator/sender-ids', operator: true, ...senderIds }],
  listApps: [{ path: apps, ...registered }],
  listAppsOfAccount: [{ path: ofOperator, operator: true, ...registered }],
  listUsers: [{ path: `${apps}/${ids.app}/users`, ...users }],
  listUsersOfAccount: [{ path: `${ofOperator}/${ids.app}/users`, operator: true, ...users }],
  listUserSessions: [{ path: `${apps}/${ids.app}/users/${ids.user}/sessions`, ...sessions }],
  listUserSessionsOfAccount: [
    { path: `${ofOperator}/${ids.app}/users/${ids.user}/sessions`, operator: true, ...sessions },
  ],
  listAccounts: [
    {
      path: '/v2/operator/accounts',
      operator: true,
      name: 'accounts',
      idOf: (item) => item['account_id'],
      expected: firstsOf('AccountOpened', 'account_id'),
    },
  ],
  listFeedback: [
    { path: '/v2/watch/feedback?order=oldest', ...feedbacks },
    {
      ...{ path: `/v2/watch/feedback?phone_number=${phone}`, ...feedbacks },
      expected: feedbacks.expected.toReversed(),
    },
  ],
  listReportedEvents: [
    { path: '/v2/watch/event?order=oldest', ...reported },
    { path: '/v2/watch/event', ...reported, expected: reported.expected.toReversed() },
  ],
  listEvaluations: [
    { path: `/v2/watch/evaluations?order=oldest`, ...search, expected: byTime(evaluations) },
    {
      path: `/v2/watch/evaluations?phone_number=${phone}`,
      ...search,
      expected: byTime(
        positionsOf((one) => isOf('FlowEvaluated')(one) && hasPhone(one)),
      ).toReversed(),
    },
  ],
}

/** Lists by positions of the log. */
const followed: Readonly<Record<string, readonly Followed[]>> = {
  listEvents: [
    { path: audit, ...events, expected: positionsOf(isOwn) },
    { path: `${audit}?phone_number=${phone}`, ...events, expected: positionsOf(hasPhone) },
    {
      ...{ path: `${audit}?type=RulePublished`, ...events },
      expected: positionsOf(isOf('RulePublished')),
    },
    {
      ...{ path: `${audit}?stream_type=rulebook`, ...events },
      expected: positionsOf((one) => one.stream.startsWith('rulebook-') && isOwn(one)),
    },
    {
      ...{ path: `${audit}?actor=operator`, ...events },
      expected: positionsOf((one) => one.metadata.actor === 'operator' && isOwn(one)),
    },
  ],
  listEvaluations: [
    { path: '/v2/watch/evaluations', ...search, expected: evaluations },
    {
      path: `/v2/watch/evaluations?verdict=PASS&flow_id=${ids.flow}`,
      ...search,
      expected: evaluations,
    },
  ],
}

/** Why others are not among them. */
const elsewhere = {
  listState: 'is as of one point that its cursor says; configuration.test.ts',
  listDifference: 'is between two points that its cursor says; configuration.test.ts',
  listOwnSessions: 'is the window that the contract wants: by offset',
  exportEvaluations: 'is of one end of the log; scanModel.test.ts',
  exportFeedback: 'is of the pages of listFeedback; exports.test.ts',
  exportReportedEvents: 'is of the pages of listReportedEvents; exports.test.ts',
  listVersionVerdicts: 'is of one end of the log; versionVerdicts.test.ts',
  importListEntries: 'answers the lines of a request',
  importPhoneNumbers: 'answers the lines of a request',
  getMetrics: 'is of this moment',
}

test('every answer with a cursor, with positions or in a stream is followed here', () => {
  const names = listed
    .filter(
      ({ query, answers }) =>
        query.parameters.some(({ name }) =>
          ['cursor', 'after', 'before', 'offset'].includes(name),
        ) || Object.values(answers).some(({ contentType }) => contentType !== undefined),
    )
    .map(({ operationId }) => operationId)

  expect(Object.keys({ ...paged, ...followed, ...elsewhere }).toSorted()).toEqual(names.toSorted())
  for (const each of [paged, followed].flatMap((all) => Object.values(all).flat())) {
    expect({ path: each.path, count: each.expected.length > 4 }).toEqual({
      path: each.path,
      count: true,
    })
  }
})

const schedule = fc.record({
  seed: fc.integer({ min: 1, max: 2 ** 30 }),
  /** Events recorded before the first question. */
  share: fc.double({ min: 0, max: 1, noNaN: true }),
  /** Steps between two reads, at the most. */
  steps: fc.integer({ min: 1, max: 400 }),
  limit: fc.integer({ min: 1, max: 7 }),
})
type Schedule = typeof schedule extends fc.Arbitrary<infer Value> ? Value : never

/** The log at its beginning, and steps before each read from then on. */
async function openWorld({ seed, share, steps }: Schedule) {
  const draw = drawOf(seed)
  let isMoving = false
  const move = async (count: number) => {
    for (let step = 0; step < count; step += 1) await world.step(draw)
  }
  world = await openSteppedService({
    ...{ keyring, clock: { nowMs: () => written.endMs }, coming: log },
    recorded: log.slice(0, opened + Math.floor(share * (log.length - opened))),
    beforeRead: async () => {
      if (isMoving) await move(Math.floor(draw() * steps))
    },
  })
  await world.catchUp()
  // as an opened service has it, before any request
  await world.context.managed.catchUp(managedStream)
  const append: typeof world.store.append = async ({ stream }) => {
    // who reads persons in clear is recorded first
    if (stream.startsWith('opening-')) return { ok: true, revision: 0, position: 1 }
    throw new Error('only the log that was written is followed')
  }
  Object.assign(world.store, { append })
  isMoving = true
  return { move }
}

async function ask({ path, operator, name, idOf }: Followed, query: Record<string, string>) {
  const separator = path.includes('?') ? '&' : '?'
  const { status, body, text, headers } = await door.request<Body>(
    'GET',
    `${path}${separator}${new URLSearchParams(query)}`,
    { token: operator ? operatorToken : shop.token },
  )
  if (status !== 200) throw new Error(`${path}: ${text}`)
  const items =
    name === undefined
      ? text
          .trimEnd()
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line) as Body)
      : (body[name] as readonly Body[])
  return {
    body: body ?? {},
    ids: items.map((item) => String(idOf(item))),
    reached: Number(headers['x-vigil-position']),
  }
}

const idsOf = (entries: readonly Entry[]) => entries.map(({ id }) => id)
const upTo = (end: number, entries: readonly Entry[]) =>
  idsOf(entries.filter(({ position }) => position <= end))

const casesOf = (all: typeof paged) =>
  Object.values(all)
    .flat()
    .map((one) => [one.path.replaceAll(/_[0-9a-z]{26}/g, '_…'), one] as const)

/** Page by page to the last one; `reached` is what the read models had passed at the first. */
async function pageThrough(list: Followed, limit: number) {
  const found: string[] = []
  const paging: Record<string, string> = list.name === undefined ? {} : { limit: String(limit) }
  let page = await ask(list, paging)
  const { reached } = page
  found.push(...page.ids)
  while (page.body['next_cursor'] !== undefined) {
    page = await ask(list, { ...paging, cursor: String(page.body['next_cursor']) })
    found.push(...page.ids)
  }
  return { found, reached }
}

/** The newest and all before them, and where to go on behind. */
async function followBack(list: Followed, limit: string) {
  let page = await ask(list, { limit })
  const found = [...page.ids]
  const after = String(page.body['next_after'])
  while (page.body['next_before'] !== undefined) {
    page = await ask(list, { limit, before: String(page.body['next_before']) })
    found.unshift(...page.ids)
  }
  return { found, after }
}

type Moving = Awaited<ReturnType<typeof openWorld>>

/** Everything behind a position, until there is nothing more to come. */
async function followOn(
  list: Followed,
  { limit, after }: Record<'limit' | 'after', string>,
  { move }: Moving,
) {
  const found: string[] = []
  let last = after
  for (let isOver = false; !isOver; ) {
    const isDone = world.isDone()
    const { body, ids } = await ask(list, { limit, after: last })
    found.push(...ids)
    const isSame = last === body['next_after']
    last = String(body['next_after'])
    isOver = isSame && isDone
    if (isSame) await move(50)
  }
  return found
}

function expectWhole({ expected, isCut }: Followed, found: readonly string[], reached: number) {
  const listed = expected.filter(({ id }) => found.includes(id))
  const end = Math.max(reached, ...listed.map(({ position }) => position))
  expect(found).toEqual(isCut === false ? idsOf(listed) : upTo(end, expected))
  expect(found).toEqual(expect.arrayContaining([...upTo(reached, expected)]))
}

describe('given events that come between any two reads', () => {
  test.each(casesOf(paged))(
    'when %s is paged, then it is all there was at some point, once, in order',
    (_, list) =>
      fc.assert(
        fc.asyncProperty(schedule, async (drawn) => {
          await openWorld(drawn)

          const { found, reached } = await pageThrough(list, drawn.limit)

          expectWhole(list, found, reached)
        }),
        { numRuns: draws(200) / 4 },
      ),
  )

  test.each(casesOf(followed))('when %s is followed, then it is the log', (_, list) =>
    fc.assert(
      fc.asyncProperty(schedule, fc.boolean(), async (drawn, isFromNewest) => {
        const moving = await openWorld(drawn)
        const limit = String(drawn.limit)

        const back = isFromNewest ? await followBack(list, limit) : { found: [], after: '0' }
        const later = await followOn(list, { limit, after: back.after }, moving)

        expect(back.found).toEqual(upTo(Number(back.after), list.expected))
        expect([...back.found, ...later]).toEqual(idsOf(list.expected))
      }),
      { numRuns: draws(200) / 4 },
    ),
  )
})
