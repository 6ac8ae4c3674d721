/** Tracks whether EventStoreDB accepts appends; after a failure, probes until it does again. */

export interface AppendHealth {
  readonly takesAppends: () => boolean
  /** To be told of every append: undefined when the server has answered it, why not otherwise. */
  readonly note: (trouble: Error | undefined) => void
  readonly close: () => void
}

export interface AppendHealthOptions {
  /** Whether the server takes an append; never rejects. */
  readonly probe: () => Promise<Error | undefined>
  /** Told why appends have begun to fail, and with undefined that they go through again. */
  readonly onTrouble: (reason: Error | undefined) => void
  /** Time between two tries. */
  readonly probeEveryMs: number
}

export function appendHealth({
  probe,
  onTrouble,
  probeEveryMs,
}: AppendHealthOptions): AppendHealth {
  let isWell = true
  let closed = false
  let timer: NodeJS.Timeout | undefined

  const become = (trouble: Error | undefined): void => {
    const well = trouble === undefined
    if (well !== isWell) onTrouble(trouble)
    isWell = well
    if (!well) tryLater()
  }
  const tryLater = (): void => {
    if (closed || timer !== undefined) return
    timer = setTimeout(() => void tryNow(), probeEveryMs).unref()
  }
  const tryNow = async (): Promise<void> => {
    const trouble = await probe()
    timer = undefined
    if (!closed) become(trouble)
  }
  return {
    takesAppends: () => isWell,
    note: become,
    close: () => {
      closed = true
      clearTimeout(timer)
    },
  }
}
