/** Computes the evaluation again from its record, and stamps whether the same came out. */

import { useState } from 'preact/hooks'
import { ask, serverNowMs } from '../../api/client.ts'
import type { Replay } from '../../api/schema.ts'
import { Moment } from '../../parts/moment.tsx'
import { OutcomeMark } from '../../parts/outcome.tsx'
import { Failed } from '../../parts/states.tsx'
import { useWork } from '../../parts/useWork.ts'

export function ReplayStamp({ id }: { readonly id: string }) {
  const [replay, set] = useState<{ readonly of: Replay; readonly at: string }>()
  const { failure, run } = useWork()
  const recompute = async () => {
    const path = { evaluation_id: id }
    const { value } = await ask('POST /v2/watch/evaluations/{evaluation_id}/replay', { path })
    set({ of: value as Replay, at: new Date(serverNowMs()).toISOString() })
  }
  return (
    <div class="stamp-box">
      {replay ? (
        <div class="stamp" role="status">
          <OutcomeMark of={replay.of.result} />
          <span>recomputed from the record</span>
          <Moment at={replay.at} />
          {replay.of.differences.map(({ path, recorded, recomputed }) => (
            <p key={path} class="mistake">
              <code>{path}</code> {JSON.stringify(recorded)} → {JSON.stringify(recomputed)}
            </p>
          ))}
        </div>
      ) : (
        <button type="button" onClick={() => run(recompute)}>
          Replay
        </button>
      )}
      {failure && <Failed failure={failure} />}
    </div>
  )
}
