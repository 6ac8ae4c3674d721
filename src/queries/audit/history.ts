/** Lists the events of an account by position: read from the log, redacted and described. */

import type { Call } from '../../domain/call.ts'
import {
  asSchemaOf,
  openObject,
  optional,
  type TypeOf,
  text,
  timeSchema,
} from '../../domain/jsonSchema.ts'
import { longWork, pauseLongWork } from '../../domain/load/scheduler.ts'
import { opensPersons } from '../../domain/shownPersons.ts'
import { isoTime } from '../../domain/text/isoTime.ts'
import type { VigilEvent } from '../../events/catalogue.ts'
import type { DecodedEvent } from '../../events/recording/event.ts'
import type { RecordedEvent } from '../../stores/eventStore.ts'
import { decodeEvents } from '../reading/decodeEvents.ts'
import { createPageBuilder } from '../reading/page.ts'
import type { HeavyContext, QueryContext } from '../reading/queryContext.ts'
import { describeEvent } from './describeEvent.ts'
import type { EventLocation, findEventLocations, HistoryFilter, Subject } from './eventLocations.ts'
import { showEventContent } from './shownEvent.ts'

export interface HistoryQuery extends HistoryFilter {
  /** Of whom: a canonical number or address. */
  readonly person?: { readonly kind: Subject['kind']; readonly value: string }
  readonly limit: number
}

const logPosition = { type: 'string', pattern: '^[0-9]+$' } as const

/** One event, as auditors see it. */
const eventSchema = openObject('HistoryEvent', {
  position: { ...logPosition, description: 'In the log.' },
  id: { type: 'string', description: 'UUID.' },
  type: text,
  stream: text,
  revision: { type: 'integer', description: 'Revision in the stream, from 0.' },
  recorded_at: timeSchema,
  actor: {
    type: 'string',
    description:
      'Id of the token, the key, the user or the application; or `operator` or `service`.',
  },
  request_id: optional({
    type: 'string',
    description: 'Absent for events that no request caused.',
  }),
  command_id: { type: 'string', description: 'UUID.' },
  causation: optional({ type: 'string', description: 'The event or evaluation that caused it.' }),
  subjects: optional({
    type: 'array',
    items: text,
    description:
      'Keyed digests of the persons whose data the event has, also once they are erased; the same for the same person.',
  }),
  summary: { type: 'string', description: 'The change in a sentence, without personal data.' },
  content: asSchemaOf<Readonly<Record<string, unknown>>>({
    type: 'object',
    description:
      'The data of the event, without hashes of secrets. Personal data is `{"sealed": true}` for a token without the scope `analyse`, and `{"forgotten": true}` once it is erased. Of a managed rule it has the id, the type and the weight. Evidence is in `arrived`, by name, with its value and source.',
  }),
})
export type EventView = TypeOf<typeof eventSchema>

export const historySchema = openObject('History', {
  events: { type: 'array', items: eventSchema, description: 'In log order.' },
  next_after: {
    ...logPosition,
    description: 'Position for the next page, also when nothing was found.',
  },
  next_before: optional({
    ...logPosition,
    description: 'For the newest: the position before which older ones are.',
  }),
})

type Context = Pick<QueryContext, 'projections' | 'events' | 'keyring' | 'scheduler'> &
  HeavyContext<{ findEventLocations: typeof findEventLocations }>

/** Events read from the log at a time. */
const readAtOnce = 16

/** Events, with personal data for callers that may analyse. Throws `unavailable` when the log cannot be read. */
export async function listHistory(
  context: Context,
  { principal }: Call,
  { person, limit, ...filter }: HistoryQuery,
): Promise<TypeOf<typeof historySchema>> {
  const { accountId: account } = principal
  const found = await context.heavyQueries.findEventLocations(principal, {
    ...filter,
    account,
    ...(person && {
      subject: { ...person, digest: context.keyring.subject(account, person.kind, person.value) },
    }),
  })
  const { actor, after } = filter
  const opens = opensPersons(principal)
  const { events, cutAt } = await longWork(context, account, () =>
    readPage(context, found.locations, { limit, actor, opens }),
  )
  const lookedTo = cutAt ?? found.lookedTo
  if (after !== undefined) {
    return { events, next_after: String(lookedTo ?? Math.max(after, found.end)) }
  }
  return {
    events: events.toReversed(),
    next_after: String(found.end),
    ...(lookedTo !== undefined && { next_before: String(lookedTo) }),
  }
}

/** The page that is read: its length, whose events, and whether personal data is opened. */
interface PageOfEvents {
  readonly limit: number
  readonly actor: string | undefined
  readonly opens: boolean
}

/** As many of the events as fit on a page, and where it was cut: long work. */
async function readPage(
  context: Context,
  locations: readonly EventLocation[],
  { limit, actor, opens }: PageOfEvents,
): Promise<{ readonly events: readonly EventView[]; readonly cutAt?: number }> {
  const page = createPageBuilder<EventView>(limit)
  let last = 0
  for (let first = 0; first < locations.length; first += readAtOnce) {
    const some = locations.slice(first, first + readAtOnce)
    const recorded = await Promise.all(some.map((location) => readRecorded(context, location)))
    for (const event of await decodeEvents(context, recorded, opens)) {
      await pauseLongWork(context)
      const view = toEventView(event)
      const isOf = actor === undefined || actor === view.actor
      if (isOf && !page.add(view, view)) return { events: page.items, cutAt: last }
      last = event.position
    }
  }
  return { events: page.items }
}

/** The event there. Personal data is opened where `opens`. */
export async function readEvent(
  context: Pick<Context, 'events' | 'keyring' | 'scheduler'>,
  location: Pick<EventLocation, 'stream' | 'revision'>,
  opens: boolean,
): Promise<DecodedEvent<VigilEvent>> {
  const recorded = await readRecorded(context, location)
  const [event] = await decodeEvents(context, [recorded], opens)
  return event as DecodedEvent<VigilEvent>
}

async function readRecorded(
  { events }: Pick<Context, 'events'>,
  { stream, revision }: Pick<EventLocation, 'stream' | 'revision'>,
): Promise<RecordedEvent> {
  const [recorded] = await events.readStream(stream, { from: revision, limit: 1 })
  if (!recorded) throw new Error(`the log has no revision ${revision} of ${stream}`)
  return recorded
}

function toEventView(decoded: DecodedEvent<VigilEvent>): EventView {
  const { id = '', event, metadata, stream, revision, position } = decoded
  const { actor, request, command, causation, time, subjects } = metadata
  return {
    position: String(position),
    id,
    type: event.type,
    stream,
    revision,
    recorded_at: isoTime(time),
    actor,
    ...(request !== '' && { request_id: request }),
    command_id: command,
    ...(causation !== undefined && { causation }),
    ...(subjects && { subjects: [...new Set(subjects.map(({ digest }) => digest))] }),
    summary: describeEvent(event),
    content: showEventContent(decoded),
  }
}
