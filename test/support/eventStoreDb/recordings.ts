/** What a real EventStoreDB of the 24.2 line was asked and answered: messages of both directions, as they were on the wire. */

import { readFileSync } from 'node:fs'

export interface RecordedMessage {
  readonly dir: 'client->server' | 'server->client'
  /** Such as `streams.BatchAppendReq`. */
  readonly type: string
  /** Length of the message. */
  readonly bytes: number
  readonly msg: Readonly<Record<string, unknown>>
  /** The message itself; absent for a few that are too long. */
  readonly hex?: string
}

export interface Recording {
  readonly name: string
  readonly messages: readonly RecordedMessage[]
  /** What the client made of it. */
  readonly clientOutcome?: {
    readonly ok?: unknown
    readonly error?: { readonly raw?: RawError | null }
  }
}

interface RawError {
  readonly code: number
  readonly details: string
  readonly metadata: Readonly<Record<string, string>>
}

/** How a call ended that the server refused. */
export interface Refusal {
  readonly code: number
  readonly details: string
  readonly exception: string | undefined
}

export function refusalIn({
  clientOutcome,
}: Pick<Recording, 'clientOutcome'>): Refusal | undefined {
  const raw = clientOutcome?.error?.raw ?? rawIn(clientOutcome?.ok)
  if (!raw) return undefined
  return { code: raw.code, details: raw.details, exception: raw.metadata['exception'] }
}

/** Of a subscription the recording has what came, as texts. */
function rawIn(came: unknown): RawError | undefined {
  if (!Array.isArray(came)) return undefined
  const error = came.find((text) => typeof text === 'string' && text.startsWith('error '))
  return error === undefined ? undefined : JSON.parse(error.slice('error '.length)).raw
}

const folder = new URL('./recordings/', import.meta.url)

export function recording(name: string): Recording {
  return JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8')) as Recording
}
