/** How lists, and what stands on them, are shown. */

import type { EntryChange, EntryView, ListView } from '../../service/lists/listsPart.ts'
import type { Screen } from '../terminal/screen.ts'
import { type Column, table } from '../terminal/table.ts'

const listColumns: readonly Column[] = [
  { title: 'ID' },
  { title: 'NAME' },
  { title: 'KIND' },
  { title: 'DESCRIPTION', widthMax: 72, narrow: 'wrap' },
]

/** A line for each list. */
export function listTable(lists: readonly ListView[], screen: Screen): readonly string[] {
  if (lists.length === 0) return ['No lists.']
  const rows = lists.map(({ id, name, kind, description = '' }) => [id, name, kind, description])
  return table(listColumns, rows, screen)
}

const entryColumns: readonly Column[] = [
  { title: 'VALUE' },
  { title: 'ADDED' },
  { title: 'ENDS' },
  { title: 'REASON', widthMax: 72, narrow: 'wrap' },
]

/** A line for each entry. */
export function entryTable(entries: readonly EntryView[], screen: Screen): readonly string[] {
  if (entries.length === 0) return ['No entries.']
  const rows = entries.map(({ value, created_at, expires_at = '', reason = '' }) => [
    value,
    created_at,
    expires_at,
    reason,
  ])
  return table(entryColumns, rows, screen)
}

const changeColumns: readonly Column[] = [
  { title: 'AT' },
  { title: 'CHANGE' },
  { title: 'BY' },
  { title: 'ENDS' },
  { title: 'REASON', widthMax: 72, narrow: 'wrap' },
]

/** A line for each change of an entry. */
export function changeTable(changes: readonly EntryChange[], screen: Screen): readonly string[] {
  if (changes.length === 0) return ['No changes.']
  const rows = changes.map(({ at, change, by, expires_at = '', reason = '' }) => [
    at,
    change,
    by,
    expires_at,
    reason,
  ])
  return table(changeColumns, rows, screen)
}
