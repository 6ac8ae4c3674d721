/** Lists the versions of a rule with what each changed, and makes an earlier one current again. */

import { linkTo } from '../../api/address.ts'
import { ask } from '../../api/client.ts'
import { type Followed, forget, useAnswer } from '../../api/query.ts'
import type { Rule } from '../../api/schema.ts'
import { may } from '../../api/session.ts'
import { Moment } from '../../parts/moment.tsx'
import { Failed, Pending } from '../../parts/states.tsx'
import { TextDiff } from '../../parts/textDiff.tsx'
import { useWork } from '../../parts/useWork.ts'

interface VersionsProps {
  readonly id: string
  readonly current: Followed<Rule>
}

const words = {
  created: 'Saved',
  restored: 'Restored',
  status_set: 'Status set',
  deleted: 'Deleted',
} as const

export function Versions({ id, current }: VersionsProps) {
  const answer = useAnswer('GET /v2/watch/management/rules/{id}/versions', { path: { id } })
  const { value } = answer
  const { failure, run } = useWork()
  const restore = (version_id: string) =>
    run(async () => {
      await ask('POST /v2/watch/management/rules/{id}/versions/{version_id}/restore', {
        path: { id, version_id },
        ...(current.etag && { ifMatch: current.etag }),
      })
      await forget('GET /v2/watch/management/rules/{id}/versions', 'GET /v2/watch/management/rules')
      current.refetch()
    })
  return (
    <section class="card" aria-labelledby="versions-title">
      <div class="card-head">
        <h2 id="versions-title">Versions</h2>
        <a href={linkTo(`/versions/rules/${id}`)}>The verdicts they gave</a>
      </div>
      {failure && <Failed failure={failure} />}
      <Pending of={answer} />
      <ol class="changes">
        {value?.versions.map((version, index) => {
          const before = value.versions[index + 1]
          const isNow = version.version_id === current.value?.version_id
          return (
            <li key={version.changed_at + version.version_id}>
              <p class="marks">
                <b>{words[version.change]}</b> <Moment at={version.changed_at} />
                {isNow && <span class="badge">current</span>}
                {!isNow && may('author') && (
                  <button type="button" class="quiet" onClick={() => restore(version.version_id)}>
                    Make current again
                  </button>
                )}
              </p>
              <TextDiff
                before={before?.expression ?? version.expression}
                after={version.expression}
              />
            </li>
          )
        })}
      </ol>
    </section>
  )
}
