/** Reads paged lists from the API; declares the options --from, --to and --limit. */

import { cliError, exitCodes, interruptedError, isCliError } from '../terminal/cliError.ts'
import { type GivenTime, givenTime, timeForms, wholeNumber } from '../terminal/describe.ts'
import type { CliContext } from '../terminal/terminal.ts'
import type { Body, Client } from './client.ts'

/** Waits before each further attempt, half a minute in total. */
const pausesMs = [500, 1_000, 2_000, 4_000, 8_000, 16_000]

const usualPagesMax = 5_000

const perPage = 200
/** Each looks at so much that only a search for next to nothing needs many. */
const pagesMax = 10_000
const searchLimits = { default: 20, max: 10_000 } as const

export interface TimeOptions {
  readonly from?: GivenTime
  readonly to?: GivenTime
  readonly oldestFirst?: boolean
}

/** `--from`, `--to` and `--oldest-first`. */
export const timeOptions = {
  '--from <time>': { meaning: `from this time on: ${timeForms}`, parse: givenTime },
  '--to <time>': { meaning: 'up to this time, not included', parse: givenTime },
  '--oldest-first': 'oldest first',
} as const

/** The query parameters of these options, as fields of a row. */
export const timeQuery = {
  from: '--from',
  to: '--to',
  order: (given: (option: '--oldest-first') => unknown) =>
    given('--oldest-first') ? 'oldest' : 'newest',
} as const

/** `--limit`. */
export const limitOption = {
  '--limit <n>': {
    meaning: 'the most to print',
    parse: wholeNumber(1, searchLimits.max),
    default: searchLimits.default,
  },
} as const

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

/** The query parameters of these options. */
export function timesOf({ from, to, oldestFirst }: TimeOptions, nowMs: number): Query {
  return { from: from?.(nowMs), to: to?.(nowMs), order: oldestFirst ? 'oldest' : 'newest' }
}

/** Reads pages until the limit is reached or the search ends. */
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
  const message = `Not found within ${pagesMax} pages; narrow the search.`
  throw cliError(message, exitCodes.unreachable, { code: 'too_many' })
}

interface Listed {
  readonly path: string
  /** Under which the answer lists its entries. */
  readonly name: string
  readonly query?: Readonly<Record<string, string | undefined>>
  /** How many pages are too many. */
  readonly pagesMax?: number
}

/** Reads every entry under `name`, in the service's order. `onPage` receives the count so far. */
export async function listAll<Item extends object = Body>(
  client: Client,
  listed: Listed,
  onPage: (count: number) => void = () => undefined,
): Promise<readonly Item[]> {
  const items: Item[] = []
  for await (const page of pagesOf<Item>(client, listed)) {
    items.push(...page)
    onPage(items.length)
  }
  return items
}

/** Same, page by page and on demand. */
export async function* pagesOf<Item extends object = Body>(
  client: Client,
  { path, name, query = {}, pagesMax = usualPagesMax }: Listed,
): AsyncGenerator<readonly Item[]> {
  let cursor: string | undefined
  for (let page = 0; page < pagesMax; page += 1) {
    const { body } = await client('GET', path, { query: { ...query, limit: perPage, cursor } })
    yield entriesOf<Item>(body, name)
    const next = body['next_cursor']
    if (typeof next !== 'string') return
    cursor = next
  }
  throw cliError(`There are more than ${pagesMax * perPage} ${name}.`, exitCodes.unreachable, {
    code: 'too_many',
  })
}

/** The objects in the list `name` of the answer. */
export function entriesOf<Item extends object = Body>(body: Body, name: string): readonly Item[] {
  const list = body[name]
  if (Array.isArray(list)) return list as readonly Item[]
  throw cliError(`The answer has no ${name}; is the server a Vigil?`, exitCodes.unreachable, {
    code: 'not_vigil',
  })
}

/**
 * Retries the call while the service is unreachable or failing. The call must be safe to repeat. Throws other errors at once, the error
 * of the last attempt, and `interrupted`.
 */
export async function retryWhileUnavailable<Value>(
  { pause, interrupted }: Pick<CliContext, 'pause' | 'interrupted'>,
  call: () => Promise<Value>,
): Promise<Value> {
  for (const pauseMs of pausesMs) {
    try {
      return await call()
    } catch (thrown) {
      if (!isCliError(thrown) || thrown.exitCode !== exitCodes.unreachable) throw thrown
      await pause(pauseMs)
      if (interrupted.aborted) throw interruptedError()
    }
  }
  return call()
}
