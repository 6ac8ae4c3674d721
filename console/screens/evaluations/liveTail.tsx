/** Follows new evaluations, and holds them back until they are asked for. */

import { useEffect, useState } from 'preact/hooks'
import { type ApiFailure, ask } from '../../api/client.ts'
import { session } from '../../api/session.ts'

const everyMs = 3_000

export function LiveTail({ onShow }: { readonly onShow: () => void }) {
  const [isOn, setOn] = useState(false)
  const [seen, setSeen] = useState(0)
  const [trouble, setTrouble] = useState('')
  useEffect(() => {
    if (!isOn) return
    const stopping = new AbortController()
    let after: string | undefined
    const follow = async () => {
      try {
        const found = await findAfter(after, stopping.signal)
        if (!found) return
        setSeen((count) => count + found.count)
        after = found.after
        setTrouble('')
      } catch (error) {
        if (!stopping.signal.aborted) setTrouble((error as ApiFailure).message)
      }
    }
    void follow()
    const timer = setInterval(() => void follow(), everyMs)
    return () => {
      clearInterval(timer)
      stopping.abort()
    }
  }, [isOn])
  const show = () => {
    setSeen(0)
    onShow()
  }
  return (
    <span class="tail">
      <label>
        <input
          type="checkbox"
          checked={isOn}
          onChange={(event) => setOn(event.currentTarget.checked)}
        />{' '}
        Follow
      </label>
      <span role="status">
        {trouble !== '' && <span class="mistake">Not following: {trouble}</span>}
        {seen > 0 && (
          <button type="button" class="quiet" onClick={show}>
            {seen} new: show
          </button>
        )}
      </span>
    </span>
  )
}

/** What came after the position; undefined where nobody looks, or the session is over: one refusal is enough. */
async function findAfter(after: string | undefined, signal: AbortSignal) {
  if (document.hidden || session.value.state !== 'open') return undefined
  const isFirst = after === undefined
  const query = isFirst ? { limit: 1 } : { after: Number(after), limit: 200 }
  const { value } = await ask('GET /v2/watch/evaluations', { query, signal })
  return { count: isFirst ? 0 : value.evaluations.length, after: value.next_after ?? after }
}
