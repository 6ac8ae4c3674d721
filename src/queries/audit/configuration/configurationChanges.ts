/** Folds an account's configuration up to a position; lists which resources changed since then. */

import { invalidRequest } from '../../../domain/failure.ts'
import { type ObjectOf, timeSchema } from '../../../domain/jsonSchema.ts'
import { pauseLongWork } from '../../../domain/load/longWork.ts'
import { isoTime } from '../../../domain/text/isoTime.ts'
import { decode, type VigilEvent } from '../../../events/catalogue.ts'
import type { DecodedEvent, EventMetadata } from '../../../events/recording/event.ts'
import { historyCollection } from '../../../projections/audit/history.ts'
import { readPagesOfStream } from '../../../stores/eventStore.ts'
import { findDocuments } from '../../reading/documents.ts'
import type { QueryContext } from '../../reading/queryContext.ts'
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
export type LastChange = ObjectOf<typeof lastChangeFields>

/** Who changed it, when, and at which position. */
export function toLastChange(metadata: EventMetadata, position: number): LastChange {
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
  const reading: FoldContext = { ...context, ...asked, found: new Map(), read: 0 }
  for (const source of configurationSources) {
    if (kind !== undefined && !(kind in source.idFields)) continue
    const streams = source.stream ? [source.stream(account)] : await listAppStreams(reading)
    for (const stream of streams) await foldStream(reading, stream, source)
  }
  const found = [...reading.found.values()]
  const wanted = resourceKinds.filter((each) => each === (kind ?? each))
  return wanted.flatMap((each) => found.filter((change) => change.kind === each))
}

interface FoldContext extends ChangesQuery, ConfigurationContext {
  readonly found: Map<string, ResourceChange>
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
): Promise<void> {
  const { from, found } = reading
  const touched = new Set<string>()
  let state = streamType.initial()
  for await (const { event, metadata, revision, position } of readEventsOfStream(reading, stream)) {
    const resource = position > from ? findChangedResource(idFields, event) : undefined
    if (resource) {
      const key = `${resource.kind} ${resource.id}`
      const { before } = found.get(key) ?? { before: toContent(state, resource) }
      const lastChange = toLastChange(metadata, position)
      found.set(key, { ...resource, before, after: undefined, lastChange })
      touched.add(key)
    }
    state = streamType.evolve(state, event as never, revision)
    streamType.trim?.(state)
  }
  for (const key of touched) {
    const change = found.get(key)
    if (change) found.set(key, { ...change, after: toContent(state, change) })
  }
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
