/** Follows a list by log position and prints new items until a limit or Ctrl-C. */

import { printable } from '../terminal/screen.ts'
import type { Body } from './client.ts'
import type { Invocation } from './invocation.ts'
import { retryWhileUnavailable } from './pagination.ts'

/** Poll intervals when nothing is new, doubled from least to most. */
const rests = { leastMs: 250, mostMs: 4_000 }
/** Waits after consecutive failures before it stops. */
const pausesMs = [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]

export interface FollowedPage<Item> {
  readonly items: readonly Item[]
  /** The position after which to continue. */
  readonly nextAfter: string | undefined
}

interface FollowOptions<Item> {
  /** The position after which to begin; undefined for the start of the log. */
  readonly start: string | undefined
  readonly count: number
  /** Items of a full page, after which there may be more. */
  readonly perPage: number
  readonly ask: (after: string | undefined) => Promise<FollowedPage<Item>>
  readonly print: (item: Item) => void
  /** One, and several. */
  readonly nouns: readonly [string, string]
}

/** Prints new items until Ctrl-C, which is not an error. */
export async function follow<Item>(
  invocation: Invocation,
  following: FollowOptions<Item>,
): Promise<void> {
  try {
    await followOn(invocation, following)
  } catch (thrown) {
    // Ctrl-C is the expected end
    if (!invocation.context.interrupted.aborted) throw thrown
  }
}

async function followOn<Item>(
  invocation: Invocation,
  { start, count, perPage, ask, print, nouns }: FollowOptions<Item>,
): Promise<void> {
  const { context } = invocation
  let after = start
  let left = count
  let restMs = rests.leastMs
  let isWaiting = false
  while (left > 0 && !context.interrupted.aborted) {
    const page = await retryWhileUnavailable(context, () => ask(after), {
      pausesMs,
      onFirst: ({ message }) => context.stderr.write(`${printable(message)} Trying again.\n`),
    })
    for (const item of page.items.slice(0, left)) print(item)
    left -= page.items.length
    const isMoving = page.nextAfter !== after
    after = page.nextAfter
    restMs = isMoving ? rests.leastMs : Math.min(restMs * 2, rests.mostMs)
    if (left > 0 && page.items.length < perPage) {
      if (!isWaiting) printWaiting(invocation, { left, after, nouns })
      isWaiting = true
      await context.pause(restMs)
    }
  }
}

interface Awaited {
  readonly left: number
  readonly after: string | undefined
  readonly nouns: readonly [string, string]
}

/** Announces once that it waits for more items; not when following without a limit. */
function printWaiting(
  { context }: Invocation,
  { left, after, nouns: [one, several] }: Awaited,
): void {
  if (!Number.isFinite(left)) return
  const since = after === undefined ? '' : ` after position ${printable(after)}`
  context.stderr.write(
    `Waiting for ${left} more ${left === 1 ? one : several}${since}; Ctrl-C ends it.\n`,
  )
}

/** The `next_after` position of the answer; undefined without one. */
export function nextAfterOf({ next_after: given }: Body): string | undefined {
  return typeof given === 'number' || typeof given === 'string' ? String(given) : undefined
}
