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

const pageSize = 100

interface Page {
  readonly entries: readonly Entry[]
  readonly next_cursor?: string
}

export function useEntries(
  source: Source,
  cursor: string | undefined,
): Omit<Followed<Page>, 'etag'> {
  const query = { limit: pageSize, ...(cursor && { cursor }) }
  const ofList = 'id' in source
  const list = useAnswer(
    'GET /v2/watch/management/lists/{id}/entries',
    { path: { id: ofList ? source.id : '' }, query },
    { enabled: ofList },
  )
  const phones = useAnswer(
    'GET /v2/verification/management/phone-numbers/{action}',
    { path: { action: ofList ? 'allow' : source.action }, query },
    { enabled: !ofList },
  )
  if (ofList) return list
  const { value, failure, refetch } = phones
  if (!value) return { value, failure, refetch }
  const { phone_numbers, ...rest } = value
  const entries = phone_numbers.map(({ phone_number, ...entry }) => ({
    value: phone_number,
    ...entry,
  }))
  return { value: { entries, ...rest }, failure, refetch }
}

const forgetEntries = () =>
  forget(
    'GET /v2/watch/management/lists/{id}/entries',
    'GET /v2/verification/management/phone-numbers/{action}',
  )

export interface Added {
  readonly value: string
  readonly reason?: string
  readonly expires_at?: string
}

export async function addEntry(source: Source, { value, ...how }: Added): Promise<string> {
  const kept =
    'id' in source
      ? (
          await ask('POST /v2/watch/management/lists/{id}/entries', {
            path: source,
            body: { value, ...how },
          })
        ).value.value
      : (
          await ask('POST /v2/verification/management/phone-numbers/{action}', {
            path: source,
            body: { phone_number: value, ...how },
          })
        ).value.phone_number
  await forgetEntries()
  return kept
}

export async function removeEntry(source: Source, value: string, reason: string): Promise<void> {
  const why = reason !== '' && { reason }
  if ('id' in source) {
    await ask('DELETE /v2/watch/management/lists/{id}/entries', {
      path: source,
      body: { value, ...why },
    })
  } else {
    await ask('DELETE /v2/verification/management/phone-numbers/{action}', {
      path: source,
      body: { phone_number: value, ...why },
    })
  }
  await forgetEntries()
}

export async function findHistory(
  source: Source,
  value: string,
): Promise<readonly ListEntryChange[]> {
  if ('id' in source) {
    const query = { value }
    const key = 'GET /v2/watch/management/lists/{id}/entries/history'
    return (await ask(key, { path: source, query })).value.changes
  }
  const query = { phone_number: value }
  const key = 'GET /v2/verification/management/phone-numbers/{action}/history'
  return (await ask(key, { path: source, query })).value.changes
}

export function exportAddressOf(source: Source): string {
  const query = { format: 'csv' } as const
  return 'id' in source
    ? fileAddressOf('GET /v2/watch/management/lists/{id}/entries/export', { path: source, query })
    : fileAddressOf('GET /v2/verification/management/phone-numbers/{action}/export', {
        path: source,
        query,
      })
}

/** Where parts of a file are sent. */
export function importAddressOf(source: Source): string {
  return 'id' in source
    ? fileAddressOf('POST /v2/watch/management/lists/{id}/entries/import', { path: source })
    : fileAddressOf('POST /v2/verification/management/phone-numbers/{action}/import', {
        path: source,
      })
}

export const whenImported = forgetEntries
