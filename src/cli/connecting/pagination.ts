/** Reads paged lists, declares their options, retries calls while the service is unavailable. */

import {
  type CliError,
  createCliError,
  exitCodes,
  interruptedError,
  isCliError,
} from '../terminal/cliError.ts'
import { integerOption, timeFormats, timeOption } from '../terminal/optionValues.ts'
import type { CliContext } from '../terminal/terminal.ts'
import type { Client, JsonObject } from './client.ts'

const usualPausesMs = [500, 1_000, 2_000, 4_000, 8_000, 16_000]

const perPage = 200

/** `--from`, `--to` and `--oldest-first`. */
export const timeOptions = {
  '--from <time>': timeOption(`from this time on: ${timeFormats}`),
  '--to <time>': timeOption('up to this time, not included'),
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
  '--limit <n>': { ...integerOption('the most to print', 1, 10_000), default: 20 },
} as const

interface ListSource {
  readonly path: string
  /** Under which the answer lists its entries. */
  readonly name: string
  readonly query?: Readonly<Record<string, unknown>>
  /** How many entries to read at the most; all by default. */
  readonly limit?: number
}

interface Page<Item> {
  readonly items: readonly Item[]
  /** Whether there may be more. */
  readonly hasMore: boolean
}

/** Reads the entries under `name` up to the limit, in the service's order. `onPage` receives the count so far. */
export async function readList<Item extends object = JsonObject>(
  client: Client,
  listed: ListSource,
  onPage: (count: number) => void = () => undefined,
): Promise<Page<Item>> {
  const items: Item[] = []
  let hasMore = false
  for await (const page of readListPages<Item>(client, listed)) {
    items.push(...page.items)
    hasMore = page.hasMore
    onPage(items.length)
  }
  return { items, hasMore }
}

/** Reads the entries up to the limit, page by page and on demand. */
export async function* readListPages<Item extends object>(
  client: Client,
  { path, name, query = {}, limit = Number.POSITIVE_INFINITY }: ListSource,
): AsyncGenerator<Page<Item>> {
  let left = limit
  let cursor: string | undefined
  const rejectRepeated = openRepeatCheck()
  do {
    const asked = { ...query, limit: Math.min(perPage, left), cursor }
    const body = await client('GET', path, { query: asked })
    const items = requireEntries<Item>(body, name)
    const next = body['next_cursor']
    cursor = typeof next === 'string' ? next : undefined
    rejectRepeated(cursor)
    left -= items.length
    yield { items, hasMore: cursor !== undefined }
  } while (cursor !== undefined && left > 0)
}

/** Creates the error of a service that says to go on where a page began before. */
export function repeatedPageError(next: string | undefined): CliError {
  return createCliError(
    'The service has answered the same page twice: stopped before the end of the list.',
    exitCodes.unreachable,
    { code: 'repeated_page', next },
  )
}

/** Opens the check of a loop over pages: throws when the service repeats where to go on, as it would never end. */
export function openRepeatCheck(): (next: string | undefined) => void {
  const seen = new Set<string>()
  return (next) => {
    if (next === undefined) return
    if (seen.has(next)) throw repeatedPageError(next)
    seen.add(next)
  }
}

/** What is printed below entries that are cut off by the limit. */
export function formatMoreLine(hasMore: boolean, limit: number): readonly string[] {
  return hasMore ? [`There may be more than ${limit}: --limit N, --from, --to`] : []
}

/** The objects in the list `name` of the answer. */
export function requireEntries<Item extends object = JsonObject>(
  body: JsonObject,
  name: string,
): readonly Item[] {
  const list = body[name]
  if (Array.isArray(list)) return list as readonly Item[]
  throw createCliError(`The answer has no ${name}; is the server a Vigil?`, exitCodes.unreachable, {
    code: 'not_vigil',
  })
}

interface Retries {
  /** The waits before each further attempt. */
  readonly pausesMs?: readonly number[]
  /** Called when the first attempt fails. */
  readonly onFirst?: (error: CliError) => void
}

/**
 * Retries the call while the service is unreachable or failing, half a minute by default. The call must be safe to
 * repeat. Throws other errors at once, the error of the last attempt, and `interrupted`.
 */
export async function retryWhileUnavailable<Value>(
  { pause, interrupted }: Pick<CliContext, 'pause' | 'interrupted'>,
  call: () => Promise<Value>,
  { pausesMs = usualPausesMs, onFirst }: Retries = {},
): Promise<Value> {
  for (const [attempt, pauseMs] of pausesMs.entries()) {
    try {
      return await call()
    } catch (thrown) {
      if (!isUnavailable(thrown)) throw thrown
      if (attempt === 0) onFirst?.(thrown)
      await pause(pauseMs)
      if (interrupted.aborted) throw interruptedError()
    }
  }
  return call()
}

function isUnavailable(thrown: unknown): thrown is CliError {
  return isCliError(thrown) && thrown.exitCode === exitCodes.unreachable
}
