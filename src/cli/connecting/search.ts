/** Searches in the order of time: their options, and their pages. */

import type { Command } from 'commander'
import { cliError } from '../terminal/cliError.ts'
import { isoTime, wholeNumber } from '../terminal/collect.ts'
import { exitCodes } from '../terminal/exitCode.ts'
import type { Client } from './client.ts'
import { entriesOf } from './listAll.ts'

const perPage = 200
/** Each looks at so much that only a search for next to nothing needs many. */
const pagesMax = 10_000
const searchLimits = { default: 20, max: 10_000 } as const

export interface TimeOptions {
  readonly from?: string
  readonly to?: string
  readonly oldestFirst?: boolean
}

/** Adds `--from`, `--to` and `--oldest-first`. */
export function withTimes(command: Command): Command {
  return command
    .option('--from <time>', 'from this time on: ISO 8601 with a zone', isoTime)
    .option('--to <time>', 'up to this time, not included', isoTime)
    .option('--oldest-first', 'the oldest first')
}

/** Adds `--limit`. */
export function withLimit(command: Command): Command {
  const { default: usual, max } = searchLimits
  return command.option('--limit <n>', 'so many at most', wholeNumber(1, max), usual)
}

type Query = Readonly<Record<string, string | undefined>>

interface Wanted {
  readonly path: string
  /** Under which the answer lists what was found. */
  readonly name: string
  readonly query: Query
  readonly limit: number
}

interface FoundItems<Item> {
  readonly items: readonly Item[]
  /** Whether there may be more than the limit. */
  readonly hasMore: boolean
}

/** What the service is asked for these options. */
export function timesOf({ from, to, oldestFirst }: TimeOptions): Query {
  return { from, to, order: oldestFirst ? 'oldest' : 'newest' }
}

/** As many as are wanted, page after page. */
export async function searchPages<Item extends object>(
  client: Client,
  { path, name, query, limit }: Wanted,
): Promise<FoundItems<Item>> {
  const items: Item[] = []
  let cursor: string | undefined
  for (let page = 0; page < pagesMax; page += 1) {
    const { body } = await client('GET', path, {
      query: { ...query, limit: Math.min(perPage, limit - items.length), cursor },
    })
    items.push(...entriesOf<Item>(body, name))
    const next = body['next_cursor']
    cursor = typeof next === 'string' ? next : undefined
    if (cursor === undefined || items.length >= limit) {
      return { items, hasMore: cursor !== undefined }
    }
  }
  const message = `Not found within ${pagesMax} pages; say more of what is sought.`
  throw cliError(message, exitCodes.unreachable, { code: 'too_many' })
}
