/** What work in pieces comes to, without a pause. */
export function wholeOf<Value>(work: Generator<unknown, Value>): Value {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
  }
}
