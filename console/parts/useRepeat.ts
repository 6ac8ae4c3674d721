/** Asks again while something is under way and the page is seen. */

import { useEffect, useRef } from 'preact/hooks'

const everyMs = 2_000

/** `isOn` false ends it: also after a refusal, which a repetition would only hide. */
export function useRepeat(ask: () => void, isOn: boolean): void {
  const last = useRef(ask)
  last.current = ask
  useEffect(() => {
    if (!isOn) return undefined
    const timer = setInterval(() => {
      if (!document.hidden) last.current()
    }, everyMs)
    return () => clearInterval(timer)
  }, [isOn])
}
