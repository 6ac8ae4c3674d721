/** Does one thing at a time, and keeps why the last one failed. */

import { useState } from 'preact/hooks'

interface Work {
  readonly failure: Error | undefined
  readonly isBusy: boolean
  readonly run: (work: () => Promise<unknown>) => void
}

export function useWork(): Work {
  const [failure, fail] = useState<Error>()
  const [isBusy, setBusy] = useState(false)
  const run = (work: () => Promise<unknown>) => {
    if (isBusy) return
    setBusy(true)
    fail(undefined)
    void work()
      .catch(fail)
      .finally(() => setBusy(false))
  }
  return { failure, isBusy, run }
}
