/** Asks for the entries of a list or of a phone list alike. */

import { ask, fileAddressOf } from '../../api/client.ts'
import { type Followed, forget, useAnswer } from '../../api/query.ts'
import type { ListEntryChange } from '../../api/schema.ts'

export interface Entry {
  readonly value: string
  readonly created_at: string
  readonly reason?: string
  readonly expires_at?: string
}

/** Where the entries are: a phone list, or the id of a list. */
export type Source = { readonly action: 'allow' | 'block' } | { readonly id: string }

export const sourceOf = (id: string): Source =>
  id === 'allow' || id === 'block' ? { action: id } : { id }

/** The column of files that has the value. */
export const columnOf = (source: Source): string => ('id' in source ? 'value' : 'phone_number')

const baseOf = (source: Source) =>
  'id' in source
    ? '/v2/watch/management/lists/{id}/entries'
    : '/v2/verification/management/phone-numbers/{action}'

const named = (source: Source, value: string) =>
  'id' in source ? { value } : { phone_number: value }

const pageSize = 100

interface Page {
  readonly entries: readonly Entry[]
  readonly next_cursor?: string
}

export function useEntries(source: Source, cursor: string | undefined): Followed<Page> {
  const query = { limit: pageSize, ...(cursor && { cursor }) }
  const { value, ...answer } = useAnswer(`GET ${baseOf(source)}`, { path: source, query })
  if (!value || 'entries' in value) return { value, ...answer }
  const { phone_numbers, ...rest } = value
  const entries = phone_numbers.map(({ phone_number, ...entry }) => ({
    value: phone_number,
    ...entry,
  }))
  return { value: { entries, ...rest }, ...answer }
}

export const forgetEntries = (): Promise<void> =>
  forget(
    'GET /v2/watch/management/lists/{id}/entries',
    'GET /v2/verification/management/phone-numbers/{action}',
  )

interface Added {
  readonly value: string
  readonly reason?: string
  readonly expires_at?: string
}

/** Answers the value as it is kept. */
export async function addEntry(source: Source, { value, ...how }: Added): Promise<string> {
  const body = { ...named(source, value), ...how }
  const { value: kept } = await ask(`POST ${baseOf(source)}`, { path: source, body })
  await forgetEntries()
  return 'value' in kept ? kept.value : kept.phone_number
}

export async function removeEntry(source: Source, value: string, reason: string): Promise<void> {
  const body = { ...named(source, value), ...(reason !== '' && { reason }) }
  await ask(`DELETE ${baseOf(source)}`, { path: source, body })
  await forgetEntries()
}

export async function findHistory(
  source: Source,
  value: string,
): Promise<readonly ListEntryChange[]> {
  const query = named(source, value)
  return (await ask(`GET ${baseOf(source)}/history`, { path: source, query })).value.changes
}

export const exportAddressOf = (source: Source): string =>
  fileAddressOf(`GET ${baseOf(source)}/export`, { path: source, query: { format: 'csv' } })

/** Where parts of a file are sent. */
export const importAddressOf = (source: Source): string =>
  fileAddressOf(`POST ${baseOf(source)}/import`, { path: source })
