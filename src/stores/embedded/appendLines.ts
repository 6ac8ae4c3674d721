/** Appends that wait to be written, in a line for each account: of all accounts that wait a batch takes one after the other in turn. */

export interface Waiting {
  /** Whose it is; those without are one more. */
  readonly account: string | undefined
  /** Length of its text. */
  readonly bytes: number
}

export interface BatchLimits {
  /** Appends and text of one batch; a single append may be larger. */
  readonly batchMax: number
  readonly batchBytesMax: number
}

export interface AppendLines<One extends Waiting> {
  readonly isEmpty: () => boolean
  /** Stands behind what waits for its account. */
  readonly add: (one: One) => void
  /**
   * Takes a batch: what an account has waiting in its order, and no account a second time before all others that fit. Whoever was taken
   * from last is taken from last by the next one.
   */
  readonly take: (limits: BatchLimits) => readonly One[]
  readonly takeAll: () => readonly One[]
}

interface Batch<One> {
  readonly taken: One[]
  bytes: number
}

/** Opens the lines. An account for which nothing waits takes no memory. */
export function appendLines<One extends Waiting>(): AppendLines<One> {
  /** Whose turn is next first. */
  const lines = new Map<string | undefined, Set<One>>()

  /** The first of each line that fits; whether there was one. */
  const takeRound = (batch: Batch<One>, limits: BatchLimits): boolean => {
    const before = batch.taken.length
    for (const [account, line] of [...lines]) {
      const [first] = line
      if (!first || !fits(batch, first, limits)) continue
      batch.taken.push(first)
      batch.bytes += first.bytes
      line.delete(first)
      lines.delete(account)
      if (line.size > 0) lines.set(account, line)
    }
    return batch.taken.length > before
  }

  return {
    isEmpty: () => lines.size === 0,
    add: (one) => {
      const line = lines.get(one.account)
      if (line) line.add(one)
      else lines.set(one.account, new Set([one]))
    },
    take: (limits) => {
      const batch: Batch<One> = { taken: [], bytes: 0 }
      while (takeRound(batch, limits));
      return batch.taken
    },
    takeAll: () => {
      const all = [...lines.values()].flatMap((line) => [...line])
      lines.clear()
      return all
    },
  }
}

function fits<One extends Waiting>(
  { taken, bytes }: Batch<One>,
  one: One,
  { batchMax, batchBytesMax }: BatchLimits,
): boolean {
  return taken.length === 0 || (taken.length < batchMax && bytes + one.bytes <= batchBytesMax)
}
