/** Lists the resources and list entries of a configuration that changed between two positions. */

import type { FoldedStreamCache } from '../../../commands/handling/foldedStreamCache.ts'
import type { ListEntryState } from '../../../commands/lists/findActiveEntry.ts'
import { invalidRequest } from '../../../domain/failure.ts'
import { type ObjectOf, timeSchema } from '../../../domain/jsonSchema.ts'
import { pauseLongWork } from '../../../domain/load/longWork.ts'
import type { AccountPrincipal } from '../../../domain/principal.ts'
import { isoTime } from '../../../domain/text/isoTime.ts'
import { decode, type VigilEvent } from '../../../events/catalogue.ts'
import { type EntryEvent, toEntryFact } from '../../../events/lists/listEntry.ts'
import type { DecodedEvent, EventMetadata } from '../../../events/recording/event.ts'
import { historyCollection } from '../../../projections/audit/history.ts'
import { readPagesOfStream } from '../../../stores/eventStore.ts'
import { findDocuments } from '../../reading/documents.ts'
import type { PointInTime } from '../../reading/pointInTime.ts'
import type { QueryContext } from '../../reading/queryContext.ts'
import { findEventLocations } from '../eventLocations.ts'
import { readEvent } from '../history.ts'
import { redactSealed } from '../shownEvent.ts'
import {
  type ConfigurationSource,
  type ConfiguredResource,
  configurationSources,
  findChangedResource,
  type ResourceContent,
  type ResourceKind,
  resourceKinds,
} from './configurationSources.ts'

/** A resource that was changed between two positions, with its last change. */
export interface ResourceChange extends ConfiguredResource {
  /** Undefined where it was not there. */
  readonly before: ResourceContent | undefined
  readonly after: ResourceContent | undefined
  readonly lastChange: LastChange
}

export const lastChangeFields = {
  position: { type: 'string', pattern: '^[0-9]+$', description: 'Of its last change in the log.' },
  changed_at: timeSchema,
  changed_by: {
    type: 'string',
    description:
      'Id of the token, the key, the user or the application; or `operator` or `service`.',
  },
} as const
type LastChange = ObjectOf<typeof lastChangeFields>

/** Who changed it, when, and at which position. */
function toLastChange(metadata: EventMetadata, position: number): LastChange {
  const { actor, time } = metadata
  return { position: String(position), changed_at: isoTime(time), changed_by: actor }
}

export interface ChangesQuery {
  readonly account: string
  /** Position behind which changes count. */
  readonly from: number
  readonly to: number
  /** Only of this kind; every kind but entries of lists unless given. */
  readonly kind?: ResourceKind | undefined
  /** The parameter that is refused when it lies behind too many changes. */
  readonly path: string
}

export type ConfigurationContext = Pick<QueryContext, 'events' | 'documents' | 'projections'>

/** Events that one question reads. */
const eventsMax = 200_000

/** Applications that are looked at; an account has fewer in force. */
const appsMax = 1_000

/**
 * Everything that was changed, by kind and then in the order of its first change: long work. From position 0 on that is all there is.
 * Throws `invalid_request` when it takes too many events.
 */
export async function readConfigurationChanges(
  context: ConfigurationContext,
  asked: ChangesQuery,
): Promise<readonly ResourceChange[]> {
  const { account, kind } = asked
  const reading: FoldContext = { ...context, ...asked, read: 0 }
  const changes: (readonly ResourceChange[])[] = []
  for (const source of configurationSources) {
    if (kind !== undefined && !(kind in source.idFields)) continue
    const streams = source.stream ? [source.stream(account)] : await listAppStreams(reading)
    for (const stream of streams) changes.push(await foldStream(reading, stream, source))
  }
  const found = changes.flat()
  const wanted = resourceKinds.filter((each) => each === (kind ?? each))
  return wanted.flatMap((each) => found.filter((change) => change.kind === each))
}

interface FoldContext extends ChangesQuery, ConfigurationContext {
  /** Events. */
  read: number
}

async function listAppStreams(reading: FoldContext): Promise<readonly string[]> {
  const { account, to } = reading
  const found = await findDocuments(reading, historyCollection, {
    where: { account, type: 'AppRegistered', at: { lt: to + 1 } },
    sort: ['at'],
    limit: appsMax,
  })
  return found.map(({ body }) => body.stream)
}

/** Folds a stream, page by page and other work in between, and keeps what a resource was before its first change that counts. */
async function foldStream(
  reading: FoldContext,
  stream: string,
  { idFields, streamType, toContent }: ConfigurationSource,
): Promise<readonly ResourceChange[]> {
  const changed = new Map<string, Omit<ResourceChange, 'after'>>()
  let state = streamType.initial()
  for await (const { event, metadata, revision, position } of readEventsOfStream(reading, stream)) {
    const resource = position > reading.from ? findChangedResource(idFields, event) : undefined
    if (resource) {
      const key = `${resource.kind} ${resource.id}`
      const { before } = changed.get(key) ?? { before: toContent(state, resource) }
      changed.set(key, { ...resource, before, lastChange: toLastChange(metadata, position) })
    }
    state = streamType.evolve(state, event as never, revision)
    streamType.trim?.(state)
  }
  return [...changed.values()].map((change) => ({ ...change, after: toContent(state, change) }))
}

async function* readEventsOfStream(
  reading: FoldContext,
  stream: string,
): AsyncGenerator<DecodedEvent<VigilEvent>> {
  for await (const page of readPagesOfStream(reading.events, stream)) {
    reading.read += page.length
    if (reading.read > eventsMax) {
      const message = `Lies behind more than ${eventsMax} changes of the configuration, or ask for one kind.`
      throw invalidRequest([{ path: reading.path, message }])
    }
    for (const recorded of page) {
      if (recorded.position > reading.to) return
      await pauseLongWork()
      yield decode(recorded)
    }
  }
}

export type EntryChangesContext = Pick<QueryContext, 'events' | 'heavyQueries' | 'keyring'> & {
  readonly listEntries: Pick<FoldedStreamCache<ListEntryState, EntryEvent>, 'stateAt'>
}

/** What the names of the streams begin with: those of phone lists, then those of lists with names. */
export const entryStreamTypes = ['phone_list', 'list_entry'] as const

interface EntryChangesQuery {
  readonly principal: AccountPrincipal
  readonly streamType: (typeof entryStreamTypes)[number]
  readonly from: PointInTime
  readonly to: PointInTime
  /** Position behind which to go on. */
  readonly after: number
}

/** A change of an entry, and the position behind which it comes; without one where there may be more than was looked at. */
interface EntryChange {
  readonly change: ResourceChange | undefined
  readonly after: number
}

/** The next entries by the position of their last change. An entry that has expired by a point is not there then. */
export async function* findEntryChanges(
  context: EntryChangesContext,
  { principal, streamType, from, to, ...begin }: EntryChangesQuery,
): AsyncGenerator<EntryChange> {
  const { accountId: account, scopes } = principal
  const opens = scopes.includes('analyse')
  const asked = { account, streamType, after: begin.after, before: to.position + 1 }
  const found = await context.heavyQueries.run(principal, findEventLocations, asked)
  let { after } = begin
  for (const { stream, revision, at } of found.locations) {
    const state = await context.listEntries.stateAt(stream, to.position)
    // it comes with its last change
    if (state.revision !== revision) continue
    const readEntry = (at: number) =>
      readEvent(context, { stream, revision: at }, opens) as Promise<DecodedEvent<EntryEvent>>
    const then = await context.listEntries.stateAt(stream, from.position)
    const last = await readEntry(revision)
    const before = then.isListed ? toEntryContent(await readEntry(then.revision), from) : undefined
    const lastChange = toLastChange(last.metadata, at)
    const versions = { before, after: toEntryContent(last, to) }
    yield { change: { kind: 'entry', id: stream, ...versions, lastChange }, after }
    after = at
  }
  if (found.lookedTo !== undefined) yield { change: undefined, after: found.lookedTo }
}

function toEntryContent(
  { event }: DecodedEvent<EntryEvent>,
  { timeMs }: PointInTime,
): ResourceContent | undefined {
  const fact = toEntryFact(event)
  if (!fact.isListed) return undefined
  const { value, reason, listed_at, expires_at } = fact.said
  if (expires_at !== undefined && expires_at <= timeMs) return undefined
  return {
    list: fact.list,
    value: redactSealed(value),
    reason: redactSealed(reason),
    listed_at: isoTime(listed_at),
    expires_at: expires_at === undefined ? undefined : isoTime(expires_at),
  }
}
