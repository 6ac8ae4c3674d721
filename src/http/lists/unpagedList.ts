/** Builds the response of an unpaged list: plain when short, a streaming body when long. */

import type { Answer } from '../request/answer.ts'
import type { Shares } from './listShares.ts'

interface UnpagedList<Item> {
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
export async function unpagedList<Item extends object>(
  { plural, pages, answered }: UnpagedList<Item>,
  streams: Shares,
  key: string,
): Promise<Pick<Answer, 'body' | 'chunks'>> {
  const reading = pages[Symbol.asyncIterator]()
  const first = await reading.next()
  const second = await reading.next()
  const begun = [first, second].flatMap(({ value, done }) => (done ? [] : [value]))
  if (second.done) return { body: { [plural]: answered(begun.flat()) } }
  const chunks = pieceTogether({ plural, pages: joined(begun, reading), answered })
  return { chunks: { chunks, closed: streams(key) } }
}

async function* joined<Page>(
  begun: readonly Page[],
  reading: AsyncIterator<Page>,
): AsyncGenerator<Page> {
  yield* begun
  yield* { [Symbol.asyncIterator]: () => reading }
}

async function* pieceTogether<Item extends object>({
  plural,
  pages,
  answered,
}: UnpagedList<Item>): AsyncGenerator<string> {
  yield `{${JSON.stringify(plural)}:[`
  let separator = ''
  for await (const page of pages) {
    if (page.length === 0) continue
    // as elements of the array
    yield separator + JSON.stringify(answered(page)).slice(1, -1)
    separator = ','
  }
  yield ']}'
}
