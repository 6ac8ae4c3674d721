/** Work written as steps: driven at once, or in slices by a scheduler. */

/** Long work: wherever it yields, its driver may do other work. */
export type Steps<Value> = Generator<void, Value, void>

/** Drives the steps to their end without a pause. */
export function runAtOnce<Value>(steps: Steps<Value>): Value {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** Maps the items, one at each step. */
export function* mapInSteps<Item, Mapped>(
  items: Iterable<Item>,
  map: (item: Item) => Mapped,
): Steps<Mapped[]> {
  const mapped: Mapped[] = []
  for (const item of items) {
    mapped.push(map(item))
    yield
  }
  return mapped
}
