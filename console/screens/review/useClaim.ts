/** Keeps what was taken: counts its time, takes it again while it is in use, tells when it ran out. */

import { useEffect, useRef, useState } from 'preact/hooks'
import { ask, serverNowMs } from '../../api/client.ts'

/** Taken again when so little is left and there was a key or a pointer since it was taken. */
const renewedMs = 5 * 60_000

export interface ClaimState {
  /** Milliseconds left; 0 where it ran out, undefined while it is not known to be the caller's. */
  readonly leftMs: number | undefined
  readonly failure: Error | undefined
  /** Takes it, or takes it again. */
  readonly take: () => Promise<void>
}

interface ClaimProps {
  readonly searchId: string
  readonly id: string
  /** ISO 8601, of a claim that was known before; undefined for none. */
  readonly knownUntil: string | undefined
}

export function useClaim({ searchId, id, knownUntil }: ClaimProps): ClaimState {
  const [until, keep] = useState<string>()
  const [failure, fail] = useState<Error>()
  const [now, tick] = useState(serverNowMs())
  const isUsed = useRef(false)
  const isAsking = useRef(false)
  const end = until ?? knownUntil
  const leftMs = end === undefined ? undefined : Math.max(0, Date.parse(end) - now)

  const take = async () => {
    if (isAsking.current) return
    isAsking.current = true
    isUsed.current = false
    try {
      const key = 'POST /v2/watch/management/searches/{search_id}/review/take'
      const path = { search_id: searchId }
      const { value } = await ask(key, { path, body: { evaluation_id: id } })
      keep(value.review?.until)
      fail(undefined)
    } catch (error) {
      fail(error as Error)
    }
    isAsking.current = false
    tick(serverNowMs())
  }

  useEffect(() => {
    const use = () => {
      isUsed.current = true
    }
    const wake = () => tick(serverNowMs())
    const timer = setInterval(wake, 1_000)
    addEventListener('keydown', use)
    addEventListener('pointermove', use)
    document.addEventListener('visibilitychange', wake)
    return () => {
      clearInterval(timer)
      removeEventListener('keydown', use)
      removeEventListener('pointermove', use)
      document.removeEventListener('visibilitychange', wake)
    }
  }, [])
  useEffect(() => {
    // what ran out is not taken again without asking: somebody else may have it
    const isShort = leftMs !== undefined && leftMs > 0 && leftMs < renewedMs
    if (isShort && isUsed.current && !failure) void take()
  }, [now])
  return { leftMs, failure, take }
}
