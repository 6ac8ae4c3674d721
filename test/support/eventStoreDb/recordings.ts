/**
 * What real servers were asked and answered: messages of both directions, as they were on the wire. Those of
 * EventStoreDB 24.2 have no folder, those of later servers have one each.
 */

import { readFileSync } from 'node:fs'

export interface RecordedMessage {
  readonly dir: 'client->server' | 'server->client'
  /** Such as `streams.BatchAppendReq`. */
  readonly type: string
  /** The message itself. */
  readonly hex: string
}

export interface Recording {
  readonly name: string
  readonly messages: readonly RecordedMessage[]
  readonly refusal?: Refusal
}

/** How a call ended that the server refused. */
export interface Refusal {
  readonly code: number
  readonly details: string
  readonly exception: string | undefined
}

const folder = new URL('./recordings/', import.meta.url)

export function recording(name: string): Recording {
  return JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8')) as Recording
}
