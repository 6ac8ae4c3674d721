/** Finds the configuration of an account at a position or time, and compares it at two. */

import { LRUCache } from 'lru-cache'
import type { Call, QueryResult } from '../../../domain/call.ts'
import { invalidRequest } from '../../../domain/failure.ts'
import { asSchemaOf, openObject, optional, type TypeOf, text } from '../../../domain/jsonSchema.ts'
import { runLongWork } from '../../../domain/load/longWork.ts'
import {
  type CursorScope,
  computeListDigest,
  createPageBuilder,
  decodeCursor,
  encodeCursor,
} from '../../reading/page.ts'
import {
  type PointInTime,
  type PointInTimeContext,
  type PositionOrTime,
  resolvePoint,
} from '../../reading/pointInTime.ts'
import {
  type ConfigurationContext,
  lastChangeFields,
  type ResourceChange,
  readConfigurationChanges,
} from './configurationChanges.ts'
import { type ResourceContent, type ResourceKind, resourceFields } from './configurationSources.ts'
import { type EntryChangesContext, entryStreamTypes, findEntryChanges } from './entryChanges.ts'

interface ConfigurationPageQuery {
  readonly kind?: ResourceKind
  readonly cursor?: string
  readonly limit: number
}

export interface ConfigurationStateQuery extends ConfigurationPageQuery {
  /** Now unless given. */
  readonly asOf?: PositionOrTime
}

const position = { type: 'string', pattern: '^[0-9]+$', description: 'In the log.' } as const
const nextCursor = optional({ type: 'string', description: 'Absent on the last page.' })
/** A resource, and its last change. */
const viewFields = { ...resourceFields, ...lastChangeFields } as const

const resourceSchema = openObject('ConfigurationItem', {
  ...viewFields,
  content: asSchemaOf<ResourceContent>({
    type: 'object',
    description:
      'Without hashes of secrets. Personal data is `{"sealed": true}` for a token without the scope `analyse`, and `{"forgotten": true}` once it is erased.',
  }),
})
export type ResourceView = TypeOf<typeof resourceSchema>

export const configurationSchema = openObject('ConfigurationState', {
  as_of: position,
  items: { type: 'array', items: resourceSchema },
  next_cursor: nextCursor,
})

type Context = ConfigurationContext & PointInTimeContext & EntryChangesContext

/**
 * The configuration as of then, by kind, entries of lists last: the fold of the account's streams up to there. Throws `invalid_request`
 * for a point behind the end of the log or a cursor of another question, `unavailable`.
 */
export async function findConfiguration(
  context: Context,
  call: Call,
  { asOf, ...asked }: ConfigurationStateQuery,
): Promise<QueryResult<TypeOf<typeof configurationSchema>>> {
  const points = { from: { position: 0 }, to: asOf, path: 'as_of' } as const
  const { to, items, next } = await findChanges(context, call, { ...asked, ...points })
  const value = {
    as_of: String(to.position),
    items: items.flatMap(({ kind, id, after, lastChange: changed }) =>
      after ? [{ kind, id, ...changed, content: after }] : [],
    ),
    ...next,
  }
  return { value, position: context.projections.position() }
}

export interface ConfigurationDifferenceQuery extends ConfigurationPageQuery {
  readonly from: PositionOrTime
  /** Now unless given. */
  readonly to?: PositionOrTime
}

const fieldChangeSchema = openObject('ConfigurationFieldChange', {
  path: { type: 'string', description: 'Dotted, such as `rules.rul_….weight`.' },
  before: optional({ description: 'Absent where there was nothing.' }),
  after: optional({ description: 'Absent where there is nothing any more.' }),
})
export type FieldChange = TypeOf<typeof fieldChangeSchema>

/** What became of a resource between two points. */
const changeSchema = openObject('ConfigurationChange', {
  ...viewFields,
  change: { type: 'string', enum: ['added', 'removed', 'changed'] },
  name: optional(text),
  fields: { type: 'array', items: fieldChangeSchema },
})
export type ChangeView = TypeOf<typeof changeSchema>

export const configurationDiffSchema = openObject('ConfigurationDifference', {
  from: position,
  to: position,
  changes: { type: 'array', items: changeSchema },
  next_cursor: nextCursor,
})

/** Everything that is not as it was, field by field. Throws as `findConfiguration`, also for a `from` that lies behind `to`. */
export async function findConfigurationDifference(
  context: Context,
  call: Call,
  asked: ConfigurationDifferenceQuery,
): Promise<QueryResult<TypeOf<typeof configurationDiffSchema>>> {
  const found = await findChanges(context, call, { ...asked, to: asked.to, path: 'to' })
  const value = {
    from: String(found.from.position),
    to: String(found.to.position),
    changes: found.items.map(changeView),
    ...found.next,
  }
  return { value, position: context.projections.position() }
}

function changeView({ kind, id, before, after, lastChange: changed }: ResourceChange): ChangeView {
  const name = (after ?? before)?.['name']
  const change = before ? (after ? 'changed' : 'removed') : 'added'
  const fields = fieldChanges(before, after)
  return { kind, id, ...(typeof name === 'string' && { name }), change, ...changed, fields }
}

function fieldChanges(
  before: ResourceContent = {},
  after: ResourceContent = {},
): readonly FieldChange[] {
  const [was, is] = [new Map(leavesOf(before)), new Map(leavesOf(after))]
  const fields = [...new Set([...was.keys(), ...is.keys()])]
    .filter((path) => JSON.stringify(was.get(path)) !== JSON.stringify(is.get(path)))
    .map((path) => ({
      path,
      ...(was.has(path) && { before: was.get(path) }),
      ...(is.has(path) && { after: is.get(path) }),
    }))
  return [...fields, ...orderChange(membersOf(before), membersOf(after))]
}

type Leaf = readonly [path: string, value: unknown]

/** Every value that is no object, and lists as a whole; the rules of a recipe under their ids, so that one put in moves no other. */
function leavesOf(content: object, path = ''): readonly Leaf[] {
  return Object.entries(content).flatMap(([field, value]) => {
    if (field === 'rules') {
      return membersOf(content).flatMap(({ rule_id, ...rule }) =>
        leavesOf(rule, `rules.${rule_id}.`),
      )
    }
    if (isTree(value)) return leavesOf(value, `${path}${field}.`)
    return value === undefined ? [] : [[`${path}${field}`, value] as const]
  })
}

function isTree(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return !('sealed' in value || 'forgotten' in value)
}

interface Member {
  readonly rule_id: string
}

function membersOf({ rules }: { readonly rules?: unknown }): readonly Member[] {
  return Array.isArray(rules) ? (rules as readonly Member[]) : []
}

/** Whether those that stayed run in another order. */
function orderChange(before: readonly Member[], after: readonly Member[]): readonly FieldChange[] {
  const stayed = (some: readonly Member[], others: readonly Member[]) => {
    const ids = new Set(others.map(({ rule_id }) => rule_id))
    return some.map(({ rule_id }) => rule_id).filter((id) => ids.has(id))
  }
  const [was, is] = [stayed(before, after), stayed(after, before)]
  return was.join() === is.join() ? [] : [{ path: 'rules', before: was, after: is }]
}

interface ConfigurationQuery extends ConfigurationPageQuery {
  readonly from: PositionOrTime
  readonly to: PositionOrTime | undefined
  readonly path: 'as_of' | 'to'
}

/** Where a page of changes ends. */
interface PageEnd {
  /** Of resources of the configuration that were passed; -1 for all of them. */
  readonly passed: number
  /** Entries: the index of their stream type, and the position behind which to go on. */
  readonly stage: number
  readonly after: number
}

interface Found {
  readonly from: PointInTime
  readonly to: PointInTime
  readonly items: readonly ResourceChange[]
  readonly next: { readonly next_cursor?: string }
}

async function findChanges(
  context: Context,
  call: Call,
  asked: ConfigurationQuery,
): Promise<Found> {
  const account = call.principal.accountId
  const order = orderOf(asked)
  const begun = asked.cursor === undefined ? undefined : readPageEnd(asked.cursor, order)
  const { from, to } = begun ?? (await resolveBoth(context, account, asked))
  const page = createPageBuilder<ResourceChange>(asked.limit)
  const add = (change: ResourceChange): boolean =>
    !isSeen(change, asked.path) || page.add(change, change)
  const pageEnd = await runLongWork(account, () =>
    fill(context, { ...asked, call, from, to, begin: begun?.pageEnd ?? firstPage, add }),
  )
  const next = pageEnd ? { next_cursor: cursorOf(order, { from, to }, pageEnd) } : {}
  return { from, to, items: page.items, next }
}

const firstPage: PageEnd = { passed: 0, stage: 0, after: 0 }

/** Of a state what is there; of a difference what is not as it was. */
function isSeen({ before, after }: ResourceChange, path: ConfigurationQuery['path']): boolean {
  return path === 'as_of' ? after !== undefined : fieldChanges(before, after).length > 0
}

async function resolveBoth(
  context: PointInTimeContext,
  account: string,
  { from, to, path }: ConfigurationQuery,
): Promise<Pick<Found, 'from' | 'to'>> {
  const end = await resolvePoint(context, { account, path, point: to })
  if ('position' in from && from.position === 0)
    return { from: { position: 0, timeMs: 0 }, to: end }
  const start = await resolvePoint(context, { account, path: 'from', point: from })
  if (start.position <= end.position) return { from: start, to: end }
  throw invalidRequest([{ path: 'from', message: 'Must not lie behind to.' }])
}

interface PageContext extends ConfigurationQuery {
  readonly call: Call
  readonly from: PointInTime
  readonly to: PointInTime
  readonly begin: PageEnd
  /** False when the page is full. */
  readonly add: (change: ResourceChange) => boolean
}

/** What was folded for the page before: none of it changes any more. */
const recent = new LRUCache<string, readonly ResourceChange[]>({
  maxSize: 20_000,
  sizeCalculation: ({ length }) => length + 1,
})

/** Fills the page; answers where the next one begins, if there is more. */
async function fill(context: Context, asked: PageContext): Promise<PageEnd | undefined> {
  const { call, kind, from, to, path, begin, add } = asked
  const { accountId: account } = call.principal
  if (begin.passed >= 0 && kind !== 'entry') {
    const span = { account, kind, from: from.position, to: to.position }
    const key = JSON.stringify(span)
    const changes = recent.get(key) ?? (await readConfigurationChanges(context, { ...span, path }))
    recent.set(key, changes)
    for (const [index, change] of changes.entries()) {
      if (index >= begin.passed && !add(change)) return { ...begin, passed: index }
    }
  }
  if (kind !== undefined && kind !== 'entry') return undefined
  return fillEntries(context, asked)
}

async function fillEntries(context: Context, asked: PageContext): Promise<PageEnd | undefined> {
  const { call, from, to, begin, add } = asked
  const { principal } = call
  const opens = principal.scopes.includes('analyse')
  for (let { stage } = begin; stage < entryStreamTypes.length; stage += 1) {
    const streamType = entryStreamTypes[stage] ?? 'phone_list'
    let after = Math.max(from.position, stage === begin.stage ? begin.after : 0)
    const found = { principal, streamType, from, to, after, opens }
    const { changes, scannedTo: lookedTo } = await findEntryChanges(context, found)
    for await (const change of changes) {
      if (!add(change)) return { passed: -1, stage, after }
      after = change.at
    }
    if (lookedTo !== undefined) return { passed: -1, stage, after: lookedTo }
  }
  return undefined
}

type Points = Pick<Found, 'from' | 'to'>

const cursorFields = ['from', 'fromMs', 'to', 'toMs', 'passed', 'stage', 'after'] as const

/** What a cursor is of: this question, whatever its first page was as of. */
function orderOf({ path, from, to, kind }: ConfigurationQuery): CursorScope {
  const question = JSON.stringify([path, from, to, kind])
  return { mark: computeListDigest('configuration', {}, [question]), fields: cursorFields }
}

/** The points are those of the first page, so that what comes in between moves nothing. */
function cursorOf(order: CursorScope, { from, to }: Points, pageEnd: PageEnd): string {
  const points = { from: from.position, fromMs: from.timeMs, to: to.position, toMs: to.timeMs }
  return encodeCursor({ id: '', body: { ...points, ...pageEnd } }, order)
}

function readPageEnd(cursor: string, order: CursorScope): Points & { readonly pageEnd: PageEnd } {
  const numbers = decodeCursor(cursor, order).values.map((value) => Math.trunc(Number(value)) || 0)
  const [from = 0, fromMs = 0, to = 0, toMs = 0, passed = 0, stage = 0, after = 0] = numbers
  const pageEnd = { passed, stage: stage === 1 ? 1 : 0, after }
  return { from: { position: from, timeMs: fromMs }, to: { position: to, timeMs: toMs }, pageEnd }
}
