/** Reads lists by log position: the newest items, or new ones as they come until Ctrl-C. */

import { escapeControls, formatCount, printableJson } from '../terminal/screen.ts'
import type { Client, JsonObject } from './client.ts'
import type { Invocation } from './invocation.ts'
import {
  openRepeatCheck,
  repeatedPageError,
  requireEntries,
  retryWhileUnavailable,
} from './pagination.ts'

/** A list in the order of the log. */
export interface LogList {
  readonly path: string
  /** Under which the answer lists its items. */
  readonly name: string
  readonly query: JsonObject
}

export interface LogPage<Item> {
  readonly items: readonly Item[]
  /** The position after which to continue. */
  readonly nextAfter: string | undefined
  /** The position before which older ones are; undefined when there are none. */
  readonly nextBefore: string | undefined
}

const perPage = 200

/** Reads a page with these parameters beside those of the list. */
export async function readLogPage<Item extends object>(
  client: Client,
  { path, name, query }: LogList,
  place: JsonObject,
): Promise<LogPage<Item>> {
  const body = await client('GET', path, { query: { ...query, ...place } })
  return {
    items: requireEntries<Item>(body, name),
    nextAfter: formatPosition(body['next_after']) ?? formatPosition(place['after']),
    nextBefore: formatPosition(body['next_before']),
  }
}

function formatPosition(position: unknown): string | undefined {
  return typeof position === 'number' || typeof position === 'string' ? String(position) : undefined
}

/**
 * Reads page by page as many as wanted, forward from `after` if the list has one up to where the log ends now, else the
 * newest; in the order of the log.
 */
export async function readLogItems<Item extends object>(
  client: Client,
  list: LogList,
  count: number,
): Promise<LogPage<Item>> {
  const isForward = list.query['after'] !== undefined
  const rejectRepeated = openRepeatCheck()
  const pages: LogPage<Item>[] = []
  let end: string | undefined
  let left = count
  for (let place: JsonObject = {}; left > 0; ) {
    const limit = Math.min(perPage, left)
    const page = await readLogPage<Item>(client, list, { ...place, limit })
    left -= page.items.length
    if (isForward) pages.push(page)
    else pages.unshift(page)
    const next = isForward ? page.nextAfter : page.nextBefore
    // a page of a filtered list may be empty far before the end
    const mayEnd = isForward && page.items.length === 0
    if (mayEnd) end ??= await findLogEnd(client, list)
    if (next === undefined || (mayEnd && (next === place['after'] || Number(next) >= Number(end))))
      break
    rejectRepeated(next)
    place = isForward ? { after: next } : { before: next }
  }
  const items = pages.flatMap((page) => page.items)
  return { items, nextAfter: pages.at(-1)?.nextAfter, nextBefore: pages[0]?.nextBefore }
}

/** Where a follower of the list would begin now. */
async function findLogEnd(client: Client, list: LogList): Promise<string | undefined> {
  const { after: _, ...query } = list.query
  return (await readLogPage(client, { ...list, query }, { limit: 1 })).nextAfter
}

/** Poll intervals when nothing is new, doubled from least to most. */
const pollIntervals = { leastMs: 250, mostMs: 4_000 }
/** Waits after consecutive failures before it stops. */
const pausesMs = [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]

/** Prints each item on a line, as JSON with `--json`. */
export function printItems<Item>(
  { context, flags }: Invocation,
  items: readonly Item[],
  format: (item: Item) => string,
): void {
  for (const item of items) {
    context.stdout.write(`${flags.json ? printableJson(item, 0) : format(item)}\n`)
  }
}

interface FollowOptions<Item> {
  readonly list: LogList
  /** The position after which to begin; undefined for the start of the log. */
  readonly start: string | undefined
  readonly count: number
  readonly format: (item: Item) => string
  /** What an item is called. */
  readonly noun: string
}

/** Prints new items until Ctrl-C, which is not an error. */
export async function followLogList<Item extends object>(
  invocation: Invocation,
  following: FollowOptions<Item>,
): Promise<void> {
  try {
    await followPages(invocation, following)
  } catch (thrown) {
    // Ctrl-C is the expected end
    if (!invocation.context.interrupted.aborted) throw thrown
  }
}

async function followPages<Item extends object>(
  invocation: Invocation,
  { list, start, count, format, noun }: FollowOptions<Item>,
): Promise<void> {
  const { client, context } = invocation
  const readPage = async (from: string | undefined) => {
    const page = await readLogPage<Item>(client, list, { after: from, limit: perPage })
    if (page.items.length === 0 || !(Number(page.nextAfter) <= Number(from))) return page
    throw repeatedPageError(page.nextAfter)
  }
  let after = start
  let left = count
  let restMs = pollIntervals.leastMs
  // following without a limit needs no announcement
  let isAnnounced = !Number.isFinite(count)
  while (left > 0 && !context.interrupted.aborted) {
    const page = await retryWhileUnavailable(context, () => readPage(after), {
      pausesMs,
      onFirst: ({ message }) => context.stderr.write(`${escapeControls(message)} Trying again.\n`),
    })
    printItems(invocation, page.items.slice(0, left), format)
    left -= page.items.length
    const isMoving = page.nextAfter !== after
    after = page.nextAfter
    restMs = isMoving ? pollIntervals.leastMs : Math.min(restMs * 2, pollIntervals.mostMs)
    if (left > 0 && page.items.length < perPage) {
      if (!isAnnounced)
        context.stderr.write(formatWaiting(formatCount(left, `more ${noun}`), after))
      isAnnounced = true
      await context.pause(restMs)
    }
  }
}

function formatWaiting(awaited: string, after: string | undefined): string {
  const since = after === undefined ? '' : ` after position ${escapeControls(after)}`
  return `Waiting for ${awaited}${since}; Ctrl-C ends it.\n`
}
