/** Turns pages of evaluations in the order of time, and jumps to both ends. */

import type { ExportedRow } from './exportedRow.ts'

const pageRows = 50

/** What a page of the address is asked with; one more row tells whether there is another page. */
export function askedOf(page: string) {
  const [direction, after] = page.split(/_(.*)/)
  const order = direction === 'newer' || direction === 'oldest' ? 'oldest' : 'newest'
  return { order, limit: pageRows + 1, ...(after && { after }) } as const
}

interface Page {
  /** As in the address. */
  readonly at: string
  /** The newest first. */
  readonly rows: readonly ExportedRow[]
  /** Whether there are more in the direction in which it was asked for. */
  readonly isFollowed: boolean
}

/** The page that these rows, in the order asked for, are of. */
export function pageOf(at: string, came: readonly ExportedRow[]): Page {
  const rows = came.slice(0, pageRows)
  return {
    at,
    rows: askedOf(at).order === 'newest' ? rows : rows.toReversed(),
    isFollowed: came.length > pageRows,
  }
}

interface PagesProps {
  readonly of: Page
  readonly onTurn: (page: string) => void
}

export function Pages({ of: { at, rows, isFollowed }, onTurn }: PagesProps) {
  const isBackward = askedOf(at).order === 'newest'
  const hasOlder = isBackward ? isFollowed : at !== 'oldest'
  const hasNewer = isBackward ? at !== '' : isFollowed
  const button = (title: string, page: string, isThere: boolean) => (
    <button type="button" disabled={!isThere} onClick={() => onTurn(page)}>
      {title}
    </button>
  )
  if (at === '' && !isFollowed) return null
  return (
    <nav class="pages" aria-label="Pages">
      {button('Newest', '', at !== '')}
      {button('Newer', `newer_${rows[0]?.id}`, hasNewer && rows.length > 0)}
      {button('Older', `older_${rows.at(-1)?.id}`, hasOlder && rows.length > 0)}
      {button('Oldest', 'oldest', hasOlder)}
    </nav>
  )
}
