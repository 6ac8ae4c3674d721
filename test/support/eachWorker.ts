/**
 * What each worker keeps for itself, by design, where the tests are run with several of them (`TEST_WORKERS`). A test of such a thing names
 * it here and asks so much more of it, or allows so much more: it is run all the same, and says so.
 */

/** Workers that answer in turn over the stores of one service, each with a memory of its own. */
export const workers = Number(process.env['TEST_WORKERS'] ?? 1)

const ofEach = {
  compiled: 'rules are compiled in the memory of each worker',
  pauses: 'each worker finds out for itself that a customer fails, and leaves them alone',
  places: 'the places in which customers are asked are shared out, at least one to each worker',
  turns: 'commands on one stream are in turn within a worker; of several, one may be told 409',
  counting: 'an application more may pass the limit on each worker when they come at once',
} as const

/** How many times there is what each worker keeps for itself. */
export function timesOf(what: keyof typeof ofEach): number {
  if (workers > 1) process.stderr.write(`with ${workers} workers: ${ofEach[what]}\n`)
  return workers
}
