/** Lists the resources of a configuration that changed between two positions. */

import { invalidRequest } from '../../../domain/failure.ts'
import { type ObjectOf, timeSchema } from '../../../domain/jsonSchema.ts'
import { pauseLongWork } from '../../../domain/load/scheduler.ts'
import { type ResourceKind, resourceKinds } from '../../../domain/resourceKinds.ts'
import { isoTime } from '../../../domain/text/isoTime.ts'
import { decode, type VigilEvent } from '../../../events/catalogue.ts'
import type { DecodedEvent, EventMetadata } from '../../../events/recording/event.ts'
import { historyCollection } from '../../../projections/audit/history.ts'
import { readDocumentPages } from '../../../projections/running/documents.ts'
import { readPagesOfStream } from '../../../stores/eventStore.ts'
import type { QueryContext } from '../../reading/queryContext.ts'
import {
  type ConfigurationSource,
  type ConfiguredResource,
  configurationSources,
  findChangedResource,
  type ResourceContent,
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

export type ConfigurationContext = Pick<
  QueryContext,
  'events' | 'documents' | 'projections' | 'scheduler'
>

/** Events that one question reads. */
const eventsMax = 200_000

/** Applications found at a time. */
const appsAtOnce = 500

/**
 * Everything that was changed, by kind and then in the order of its first change: long work. From position 0 on that is
 * all there is. Throws `invalid_request` when it takes too many events.
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
    const streams = source.stream ? [source.stream(account)] : listAppStreams(reading)
    for await (const stream of streams) changes.push(await foldStream(reading, stream, source))
  }
  const found = changes.flat()
  const wanted = resourceKinds.filter((each) => each === (kind ?? each))
  return wanted.flatMap((each) => found.filter((change) => change.kind === each))
}

interface FoldContext extends ChangesQuery, ConfigurationContext {
  /** Events. */
  read: number
}

/** Of all that were ever registered by then. */
async function* listAppStreams(reading: FoldContext): AsyncGenerator<string> {
  const where = { account: reading.account, type: 'AppRegistered', at: { lt: reading.to + 1 } }
  const found = { question: { where, sort: ['at'] as const }, readAtOnce: appsAtOnce }
  for await (const page of readDocumentPages(reading, historyCollection, found)) {
    yield* page.map(({ body }) => body.stream)
  }
}

/** Folds a stream in pages, other work in between, and keeps a resource as before its first change that counts. */
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
      await pauseLongWork(reading)
      yield decode(recorded)
    }
  }
}
