/** A process that appends by the client of EventStoreDB alone, as fast as the server answers. */

import type { JSONType } from '@eventstore/db-client'
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client'
import type { NewEvent } from '../src/stores/eventStore.ts'
import { type Appender, appendsPerSecond, sampleEvents } from './appendLoad.ts'
import { answerMessages } from './childProcess.ts'

export interface ClientOrder {
  readonly url: string
  /** A data folder whose last events are appended. */
  readonly folder: string
  readonly callers: number
  readonly roundMs: number
}

/** What is appended over and over, and by what. */
let opened: Promise<{ readonly events: readonly NewEvent[]; readonly client: Appender }> | undefined

answerMessages<ClientOrder, number>(async ({ url, folder, callers, roundMs }) => {
  opened ??= open(url, folder)
  const { events, client } = await opened
  return await appendsPerSecond(client, { events, callers, roundMs })
})

async function open(url: string, folder: string) {
  return { events: await sampleEvents(folder), client: appenderOf(url) }
}

function appenderOf(url: string): Appender {
  const client = EventStoreDBClient.connectionString(url)
  const parsed = new Map<NewEvent, { readonly data: JSONType; readonly metadata: JSONType }>()
  const objectsOf = (event: NewEvent) => {
    const known = parsed.get(event)
    if (known) return known
    const objects = { data: JSON.parse(event.data), metadata: JSON.parse(event.metadata) }
    parsed.set(event, objects)
    return objects
  }
  return {
    append: async (stream, event) => {
      const { data, metadata } = objectsOf(event)
      await client.appendToStream(stream, jsonEvent({ type: event.type, data, metadata }), {
        expectedRevision: 'no_stream',
      })
    },
    close: () => client.dispose(),
  }
}
