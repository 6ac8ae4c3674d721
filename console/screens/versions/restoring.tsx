/** Makes an earlier version current again, after showing the verdicts that it would turn. */

import { useState } from 'preact/hooks'
import { ask } from '../../api/client.ts'
import { forget } from '../../api/query.ts'
import type { BacktestReport, Flow } from '../../api/schema.ts'
import { may } from '../../api/session.ts'
import { preview } from '../../api/tried.ts'
import { ChangedVerdicts } from '../../parts/backtestTable.tsx'
import { type Kind, nouns } from '../../parts/describeContent.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Failed, Loading } from '../../parts/states.tsx'
import { count } from '../../parts/values.tsx'
import { trialsOf, type Version } from './kinds.ts'

interface RestoringProps {
  readonly kind: Kind
  readonly id: string
  readonly version: Version
  readonly onRestored: () => void
}

interface Tried {
  readonly flow: Flow
  readonly report: BacktestReport
}

/** What the dialog knows and can do; it is closed while `isOpen` is false. */
function useRestoring({ kind, id, version, onRestored }: RestoringProps) {
  const [opened, open] = useState<{ readonly etag: string | undefined }>()
  const [tried, setTried] = useState<readonly Tried[]>()
  const [failure, fail] = useState<Error>()
  const path = { id }
  const begin = async () => {
    fail(undefined)
    setTried(undefined)
    try {
      // the state that the verdicts are shown for is the one that is replaced, or none
      const { etag } = await ask(`GET /v2/watch/management/${kind}/{id}`, { path })
      open({ etag })
      if (may('analyse')) setTried(await tryAll(id, version))
    } catch (error) {
      fail(error as Error)
    }
  }
  const restore = async () => {
    fail(undefined)
    const guard = opened?.etag !== undefined && { ifMatch: opened.etag }
    const named = { id, version_id: version.version_id }
    try {
      await ask(`POST /v2/watch/management/${kind}/{id}/versions/{version_id}/restore`, {
        path: named,
        ...guard,
      })
      open(undefined)
      await forget(
        `GET /v2/watch/management/${kind}`,
        `GET /v2/watch/management/${kind}/{id}`,
        `GET /v2/watch/management/${kind}/{id}/versions`,
      )
      onRestored()
    } catch (error) {
      fail(error as Error)
    }
  }
  const close = () => open(undefined)
  return { isOpen: opened !== undefined, tried, failure, begin, restore, close }
}

export function Restoring(props: RestoringProps) {
  const { isOpen, tried, failure, begin, restore, close } = useRestoring(props)
  return (
    <>
      <button type="button" class="quiet" onClick={() => void begin()}>
        Make current again…
      </button>
      {failure && !isOpen && <Failed failure={failure} />}
      {isOpen && (
        <Dialog
          title={`Make this version of the ${nouns[props.kind]} current again?`}
          onClose={close}
        >
          {failure && <Failed failure={failure} retry={() => void begin()} />}
          {may('analyse') && !tried && !failure && <Loading />}
          {tried && <Turned tried={tried} />}
          <div class="actions">
            <button type="button" class="primary" onClick={() => void restore()}>
              Make current
            </button>
            <button type="button" onClick={close}>
              Leave it
            </button>
          </div>
        </Dialog>
      )}
    </>
  )
}

/** One after the other: an account has one at a time. */
async function tryAll(id: string, version: Version): Promise<readonly Tried[]> {
  const query = { limit: 200 }
  const [flows, recipes] = await Promise.all([
    ask('GET /v2/watch/management/flows', { query }),
    ask('GET /v2/watch/management/recipes', { query }),
  ])
  const trials = trialsOf({ id, version, ...flows.value, ...recipes.value })
  const tried: Tried[] = []
  for (const { flow, body } of trials) tried.push({ flow, report: await preview(body) })
  return tried
}

function Turned({ tried }: { readonly tried: readonly Tried[] }) {
  if (tried.length === 0) return <p>No flow runs it live: it turns no verdict.</p>
  return (
    <>
      {tried.map(({ flow, report }) => (
        <div key={flow.id}>
          <p>
            Of the {count(report.evaluations)} newest evaluations of <bdi>{flow.name}</bdi> it turns{' '}
            <b>{count(report.by_draft.to_flag)}</b> to flag and{' '}
            <b>{count(report.by_draft.to_pass)}</b> to pass.
          </p>
          {report.by_draft.to_flag + report.by_draft.to_pass > 0 && (
            <ChangedVerdicts report={report} />
          )}
        </div>
      ))}
    </>
  )
}
