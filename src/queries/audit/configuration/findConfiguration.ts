/** Finds the configuration of an account at a position or time; compares two field by field. */

import type { Call } from '../../../domain/call.ts'
import { invalidRequest } from '../../../domain/failure.ts'
import { asSchemaOf, openObject, optional, type TypeOf, text } from '../../../domain/jsonSchema.ts'
import { longWork, pauseLongWork } from '../../../domain/load/scheduler.ts'
import { type AccountCache, openAccountCache } from '../../../domain/load/weighedCache.ts'
import type { ResourceKind } from '../../../domain/resourceKinds.ts'
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
import { waitForReadModels } from '../../reading/waitForReadModels.ts'
import {
  type ChangesQuery,
  type ConfigurationContext,
  lastChangeFields,
  type ResourceChange,
  readConfigurationChanges,
} from './configurationChanges.ts'
import { type ResourceContent, resourceFields } from './configurationSources.ts'
import {
  type EntryChangesContext,
  entryStages,
  findEntryChanges,
  type StageEnd,
} from './entryChanges.ts'

interface ConfigurationPageQuery {
  readonly kind?: ResourceKind
  readonly cursor?: string
  readonly limit: number
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

type Context = ConfigurationContext &
  PointInTimeContext &
  EntryChangesContext & { readonly configurationChanges: ConfigurationChangeCache }

/**
 * The configuration as of then, now unless given, by kind, entries of lists last: the fold of the account's streams up
 * to there. Throws `invalid_request` for a point behind the end of the log or a cursor of another question,
 * `unavailable`.
 */
export async function findConfiguration(
  context: Context,
  call: Call,
  { asOf, ...asked }: ConfigurationPageQuery & { readonly asOf?: PositionOrTime },
): Promise<TypeOf<typeof configurationSchema>> {
  const points = { from: { position: 0 }, to: asOf, path: 'as_of' } as const
  const { to, items, next } = await findChanges(context, call, { ...asked, ...points })
  return {
    as_of: String(to.position),
    items: items.flatMap(({ kind, id, after, lastChange }) =>
      after ? [{ kind, id, ...lastChange, content: after }] : [],
    ),
    ...next,
  }
}

interface ConfigurationDifferenceQuery extends ConfigurationPageQuery {
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

/** All that has changed, field by field. Throws as `findConfiguration`, also for a `from` behind `to`. */
export async function findConfigurationDifference(
  context: Context,
  call: Call,
  asked: ConfigurationDifferenceQuery,
): Promise<TypeOf<typeof configurationDiffSchema>> {
  const found = await findChanges(context, call, { ...asked, to: asked.to, path: 'to' })
  return {
    from: String(found.from.position),
    to: String(found.to.position),
    changes: found.items.map(toChangeView),
    ...found.next,
  }
}

function toChangeView({ kind, id, before, after, lastChange }: ResourceChange): ChangeView {
  const name = (after ?? before)?.['name']
  const change = before ? (after ? 'changed' : 'removed') : 'added'
  const fields = compareFields(before, after)
  return { kind, id, ...(typeof name === 'string' && { name }), change, ...lastChange, fields }
}

function compareFields(
  before: ResourceContent = {},
  after: ResourceContent = {},
): readonly FieldChange[] {
  const [was, is] = [new Map(collectLeaves(before)), new Map(collectLeaves(after))]
  const fields = [...new Set([...was.keys(), ...is.keys()])]
    .filter((path) => JSON.stringify(was.get(path)) !== JSON.stringify(is.get(path)))
    .map((path) => ({
      path,
      ...(was.has(path) && { before: was.get(path) }),
      ...(is.has(path) && { after: is.get(path) }),
    }))
  return [...fields, ...compareOrder(readMembers(before), readMembers(after))]
}

type Leaf = readonly [path: string, value: unknown]

/**
 * Every value that is no object, and lists as a whole; the rules of a recipe under their ids, so that one put in moves
 * no other.
 */
function collectLeaves(content: object, path = ''): readonly Leaf[] {
  return Object.entries(content).flatMap(([field, value]) => {
    if (field === 'rules') {
      return readMembers(content).flatMap(({ rule_id, ...rule }) =>
        collectLeaves(rule, `rules.${rule_id}.`),
      )
    }
    if (isTree(value)) return collectLeaves(value, `${path}${field}.`)
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

function readMembers({ rules }: { readonly rules?: unknown }): readonly Member[] {
  return Array.isArray(rules) ? (rules as readonly Member[]) : []
}

/** Whether those that stayed run in another order. */
function compareOrder(before: readonly Member[], after: readonly Member[]): readonly FieldChange[] {
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

interface PointRange {
  readonly from: PointInTime
  readonly to: PointInTime
}

/** Where a page of changes ends: of the resources how many were passed, then by the stages of entries. */
interface PageEnd extends StageEnd {
  /** 0 for the resources, 1 for the first stage of entries. */
  readonly stage: number
}

const firstPage: PageEnd = { stage: 0, after: 0, passed: 0 }

/** A page of changes from here on. */
interface PageStart extends PointRange {
  readonly begin: PageEnd
}

interface FoundChanges extends PointRange {
  readonly items: readonly ResourceChange[]
  readonly next: { readonly next_cursor?: string }
}

async function findChanges(
  context: Context,
  call: Call,
  asked: ConfigurationQuery,
): Promise<FoundChanges> {
  const { kind, cursor, limit, path } = asked
  const account = call.principal.accountId
  const scope = buildScope(asked)
  const start =
    cursor === undefined
      ? await resolvePoints(context, account, asked)
      : decodePageEnd(cursor, scope)
  const { from, to } = start
  // the page before may be another instance's, which was ahead
  await waitForReadModels(context, to.position)
  const page = createPageBuilder<ResourceChange>(limit)
  const pageEnd = await longWork(context, account, async () => {
    for await (const { change, at } of readChanges(context, call, { kind, path, ...start })) {
      if (!change || (isListed(change, path) && !page.add(change, change))) return at
    }
    return undefined
  })
  const next = pageEnd ? { next_cursor: encodePageEnd(scope, start, pageEnd) } : {}
  return { from, to, items: page.items, next }
}

/** Of a state what is there; of a difference what is not as it was. */
function isListed({ before, after }: ResourceChange, path: ConfigurationQuery['path']): boolean {
  return path === 'as_of' ? after !== undefined : compareFields(before, after).length > 0
}

async function resolvePoints(
  context: PointInTimeContext,
  account: string,
  { from, to, path }: ConfigurationQuery,
): Promise<PageStart> {
  const end = await resolvePoint(context, { account, path, point: to })
  const start =
    'position' in from && from.position === 0
      ? { position: 0, timeMs: 0 }
      : await resolvePoint(context, { account, path: 'from', point: from })
  // by clocks that differ the later point may have the earlier time
  const timeMs = Math.max(start.timeMs, end.timeMs)
  if (start.position <= end.position) {
    return { from: start, to: { ...end, timeMs }, begin: firstPage }
  }
  throw invalidRequest([{ path: 'from', message: 'Must not lie behind to.' }])
}

interface ChangesReading extends PageStart, Pick<ChangesQuery, 'kind' | 'path'> {}

/** What was found for a page, for the pages behind it: none of it changes any more. Nothing in it is personal. */
export type ConfigurationChangeCache = AccountCache<{
  readonly changes: readonly ResourceChange[]
  readonly bytes: number
}>

/** Of so many bytes; larger changes than half of them are read again for each page. */
export function openConfigurationChangeCache(bytesMax: number): ConfigurationChangeCache {
  return openAccountCache(bytesMax, ({ bytes }) => bytes)
}

/** Of memory, for each character of a change as JSON. */
const bytesPerChar = 2

async function readCachedChanges(
  context: Context,
  asked: ChangesQuery,
): Promise<readonly ResourceChange[]> {
  const { account, kind, from, to } = asked
  const key = JSON.stringify([kind, from, to])
  const known = context.configurationChanges.get(account, key)
  if (known) return known.changes
  const changes = await readConfigurationChanges(context, asked)
  let bytes = 0
  for (const change of changes) {
    bytes += JSON.stringify(change).length * bytesPerChar
    await pauseLongWork(context)
  }
  context.configurationChanges.set(account, key, { changes, bytes })
  return changes
}

/** The changes, each with where the next page begins if it is not taken; undefined ones where enough was read. */
async function* readChanges(
  context: Context,
  { principal }: Call,
  { kind, from, to, path, begin }: ChangesReading,
): AsyncGenerator<{ readonly change: ResourceChange | undefined; readonly at: PageEnd }> {
  if (begin.stage === 0 && kind !== 'entry') {
    const span = { account: principal.accountId, kind, from: from.position, to: to.position }
    const changes = await readCachedChanges(context, { ...span, path })
    for (let { passed } = begin; passed < changes.length; passed += 1) {
      yield { change: changes[passed], at: { ...begin, passed } }
    }
  }
  if (kind !== undefined && kind !== 'entry') return
  for (let stage = Math.max(1, begin.stage); stage <= entryStages.length; stage += 1) {
    const of = entryStages[stage - 1] ?? 'phone_list'
    const own = stage === begin.stage ? begin : firstPage
    const entries = findEntryChanges(context, of, { principal, from, to, begin: own })
    for await (const { change, end } of entries) yield { change, at: { ...end, stage } }
  }
}

const cursorFields = ['from', 'fromMs', 'to', 'toMs', 'passed', 'stage', 'after'] as const

/** What a cursor is of: this question, whatever its first page was as of. */
function buildScope({ path, from, to, kind }: ConfigurationQuery): CursorScope {
  const question = JSON.stringify([path, from, to, kind])
  return { mark: computeListDigest('configuration', {}, [question]), fields: cursorFields }
}

/** The points are those of the first page, so that what comes in between moves nothing. */
function encodePageEnd(scope: CursorScope, { from, to }: PointRange, pageEnd: PageEnd): string {
  const points = { from: from.position, fromMs: from.timeMs, to: to.position, toMs: to.timeMs }
  return encodeCursor({ id: '', body: { ...points, ...pageEnd } }, scope)
}

function decodePageEnd(cursor: string, scope: CursorScope): PageStart {
  const numbers = decodeCursor(cursor, scope).values.map((value) => Math.trunc(Number(value)) || 0)
  const [from = 0, fromMs = 0, to = 0, toMs = 0, passed = 0, stage = 0, after = 0] = numbers
  const begin = { stage: Math.min(Math.max(stage, 0), entryStages.length), after, passed }
  return { from: { position: from, timeMs: fromMs }, to: { position: to, timeMs: toMs }, begin }
}
