/** Processes the items of a sequence concurrently, and yields the answers in order. */

interface Working<Thing, Answer> {
  readonly work: (thing: Thing) => Promise<Answer>
  /** How many things are under way at once. */
  readonly atOnce: number
}

/**
 * Yields the answers in the order of the items, all that are ready at once. As soon as the first item under way is answered, the next
 * one begins; a ready answer does not wait for an item that has not come. Throws what the sequence or the work throws, after the answers
 * before it. However it ends, no work is under way any more.
 */
export async function* answersInOrder<Thing, Answer>(
  things: AsyncIterable<Thing>,
  { work, atOnce }: Working<Thing, Answer>,
): AsyncGenerator<readonly Answer[]> {
  const underWay: Outcome<Answer>[] = []
  const coming = openComing(things)
  try {
    for (;;) {
      const next = underWay.length < atOnce ? coming.next() : undefined
      const awaited = [next, underWay[0]].filter((outcome) => outcome !== undefined)
      if (awaited.length === 0) break
      await Promise.race(awaited.map(({ settled }) => settled))
      const thing = coming.taken()
      if (thing) underWay.push(outcomeOf(work(thing.value)))
      const answers = takeAnswers(underWay)
      if (answers.length > 0) yield answers
      failIn(underWay[0])
    }
    coming.end()
  } finally {
    await Promise.all(underWay.map(({ settled }) => settled))
    await coming.close()
  }
}

/** The things one by one. */
function openComing<Thing>(things: AsyncIterable<Thing>) {
  const reading = things[Symbol.asyncIterator]()
  let next: Outcome<IteratorResult<Thing, unknown>> | undefined
  let last: typeof next
  return {
    /** The next one, on its way or there; undefined behind the last. */
    next: () => {
      if (last) return undefined
      next ??= outcomeOf(reading.next())
      return next
    },
    /** The next one if it is there, which makes room for the one behind it. */
    taken: (): { readonly value: Thing } | undefined => {
      const result = next?.result()
      if (!result) return undefined
      if (result.status === 'fulfilled' && !result.value.done) {
        next = undefined
        return result.value
      }
      last = next
      return undefined
    },
    /** To be called behind the last one. Throws what the sequence has thrown. */
    end: (): void => failIn(last),
    /** Asks for no more. Whoever is late with the next one is not waited for. */
    close: async (): Promise<void> => {
      const closed = outcomeOf(Promise.resolve(reading.return?.()))
      if (!next || last) await closed.settled
    },
  }
}

/** What became of work, and when. */
interface Outcome<Value> {
  /** Never rejects. */
  readonly settled: Promise<void>
  readonly result: () => PromiseSettledResult<Value> | undefined
}

function outcomeOf<Value>(work: Promise<Value>): Outcome<Value> {
  let result: PromiseSettledResult<Value> | undefined
  const settled = Promise.allSettled([work]).then(([of]) => {
    result = of
  })
  return { settled, result: () => result }
}

/** Takes away those at the beginning that are answered. */
function takeAnswers<Answer>(underWay: Outcome<Answer>[]): readonly Answer[] {
  const results = underWay.map(({ result }) => result())
  const until = results.findIndex((result) => result?.status !== 'fulfilled')
  const answers = results.slice(0, until < 0 ? undefined : until)
  underWay.splice(0, answers.length)
  return answers.flatMap((result) => (result?.status === 'fulfilled' ? [result.value] : []))
}

function failIn(outcome: Outcome<unknown> | undefined): void {
  const result = outcome?.result()
  if (result?.status === 'rejected') throw result.reason
}
