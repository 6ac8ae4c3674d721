/** Limits the time of a call whose client has no deadline of its own. */

/** Settles like the work, or rejects with `late` after so many ms; the work itself goes on. */
export async function withTimeout<Value>(
  work: Promise<Value>,
  ms: number,
  late: () => Error,
): Promise<Value> {
  let timer: NodeJS.Timeout | undefined
  const timedOut = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), ms)
  })
  try {
    return await Promise.race([work, timedOut])
  } finally {
    clearTimeout(timer)
  }
}
