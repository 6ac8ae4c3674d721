/** Builds the response of an unpaged list: plain when short, a streaming body when long. */

import { Failure } from '../../domain/failure.ts'
import type { Answer } from '../request/answer.ts'
import type { Shares } from './listShares.ts'

interface WholeList<Item> {
  /** The field under which the items stand. */
  readonly plural: string
  readonly pages: AsyncIterable<readonly Item[]>
  /** The items as they are answered. */
  readonly answered: (items: readonly Item[]) => readonly object[]
}

/**
 * Answers a short list as one body and a long one as a streaming body. Throws `rate_limited` when the account has too many long
 * responses in progress, `unavailable` when all accounts together have.
 */
export async function wholeList<Item extends object>(
  { plural, pages, answered }: WholeList<Item>,
  streams: Shares,
  key: string,
): Promise<Pick<Answer, 'body' | 'pieces'>> {
  const reading = pages[Symbol.asyncIterator]()
  const first = await reading.next()
  const second = await reading.next()
  const begun = [first, second].flatMap(({ value, done }) => (done ? [] : [value]))
  if (second.done) return { body: { [plural]: answered(begun.flat()) } }
  refuseCrowded(streams.refuses(key))
  const rest = { [Symbol.asyncIterator]: () => reading }
  const pieces = pieceTogether({ plural, pages: rest, answered }, begun)
  return { pieces: { pieces, closed: streams.hold(key).giveBack } }
}

/** Throws when a concurrency limit is reached. */
export function refuseCrowded(why: ReturnType<Shares['refuses']>): void {
  const retry = { retryAfterSeconds: 5 }
  if (why === 'share') {
    throw new Failure('rate_limited', 'The account has too many long requests under way.', retry)
  }
  if (why === 'total') throw new Failure('unavailable', 'The service is busy; try again.', retry)
}

async function* pieceTogether<Item extends object>(
  { plural, pages, answered }: WholeList<Item>,
  begun: readonly (readonly Item[])[],
): AsyncGenerator<string> {
  yield `{${JSON.stringify(plural)}:[`
  let separator = ''
  for (const page of begun) {
    if (page.length > 0) yield separator + textOf(answered(page))
    if (page.length > 0) separator = ','
  }
  for await (const page of pages) {
    if (page.length > 0) yield separator + textOf(answered(page))
    if (page.length > 0) separator = ','
  }
  yield ']}'
}

/** The items as JSON array elements. */
function textOf(items: readonly object[]): string {
  return JSON.stringify(items).slice(1, -1)
}
