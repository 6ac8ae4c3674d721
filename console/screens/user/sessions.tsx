/** Lists where a user is signed in, and signs them out. */

import { useState } from 'preact/hooks'
import { ask } from '../../api/client.ts'
import { forget, useAnswer } from '../../api/query.ts'
import type { Session } from '../../api/schema.ts'
import { may } from '../../api/session.ts'
import { CopyId } from '../../parts/copyId.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Command, Empty, Failed, Loading } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'

interface UserPath {
  readonly appID: string
  readonly userID: string
}

const sessionsKey = 'GET /v2/session/apps/{appID}/users/{userID}/sessions'

export function Sessions({ path }: { readonly path: UserPath }) {
  const [ending, end] = useState<Session | 'all'>()
  // as many as a user can have
  const { value, failure, refetch } = useAnswer(sessionsKey, { path, query: { limit: 100 } })
  const sessions = value?.sessions ?? []
  const isRetired = failure?.code === 'app_not_found'
  return (
    <section class="card" aria-labelledby="sessions-title">
      <div class="card-head">
        <h2 id="sessions-title">Signed in</h2>
        {may('manage') && sessions.length > 0 && (
          <button type="button" onClick={() => end('all')}>
            Sign out everywhere
          </button>
        )}
      </div>
      {failure && !isRetired && <Failed failure={failure} retry={refetch} />}
      {!value && !failure && <Loading lines={5} />}
      {isRetired && <Empty title="The application is retired: nobody is signed in to it" />}
      {value && sessions.length === 0 && (
        <Empty title="Not signed in anywhere">
          <p>The back end of the application starts sessions; by hand:</p>
          <Command>{`npx vigil sessions start ${path.appID} ${path.userID}`}</Command>
        </Empty>
      )}
      {sessions.length > 0 && <SessionTable sessions={sessions} onEnd={end} />}
      {ending && <Ending path={path} ending={ending} onClose={() => end(undefined)} />}
    </section>
  )
}

interface TableProps {
  readonly sessions: readonly Session[]
  readonly onEnd: (session: Session) => void
}

/** What is known of it; empty parts are not. */
function deviceOf({ device_type, device_model, os_version, country_code }: Session): string {
  if (typeof device_model !== 'string') return 'sealed'
  const parts = [device_model, `${device_type} ${os_version}`.trim(), country_code]
  return parts.filter((part) => part !== '').join(', ') || 'not known'
}

function SessionTable({ sessions, onEnd }: TableProps) {
  return (
    <Table
      name="Sessions"
      rows={sessions}
      keyOf={({ id }) => id}
      columns={[
        { title: 'Device', show: (one) => <bdi>{deviceOf(one)}</bdi>, cell: deviceOf },
        {
          title: 'Since',
          show: ({ created_at }) => <Moment at={created_at} />,
          cell: ({ created_at }) => created_at,
        },
        {
          title: 'Last seen',
          show: ({ last_seen_at }) => <Moment at={last_seen_at} />,
          cell: ({ last_seen_at }) => last_seen_at,
        },
        { title: 'Id', show: ({ id }) => <CopyId id={id} shown={6} />, cell: ({ id }) => id },
        {
          title: 'Change',
          show: (session) =>
            may('manage') && (
              <button
                type="button"
                class="quiet"
                aria-label={`Sign out ${session.id}`}
                onClick={() => onEnd(session)}
              >
                Sign out
              </button>
            ),
          cell: () => '',
        },
      ]}
    />
  )
}

interface EndingProps {
  readonly path: UserPath
  readonly ending: Session | 'all'
  readonly onClose: () => void
}

function Ending({ path, ending, onClose }: EndingProps) {
  const [failure, fail] = useState<Error>()
  const isAll = ending === 'all'
  const run = async () => {
    try {
      if (ending === 'all') {
        await ask('DELETE /v2/session/apps/{appID}/users/{userID}/sessions', { path })
      } else {
        await ask('DELETE /v2/session/apps/{appID}/users/{userID}/sessions/{sessionID}', {
          path: { ...path, sessionID: ending.id },
        })
      }
      await forget(sessionsKey)
      onClose()
    } catch (error) {
      fail(error as Error)
    }
  }
  return (
    <Dialog
      title={isAll ? 'Sign this user out everywhere?' : 'Sign out this device?'}
      onClose={onClose}
    >
      <p>
        {isAll ? 'All their sessions end' : 'The session ends'} for good. An access token that
        others check by its signature alone works until it expires.
      </p>
      {failure && <Failed failure={failure} />}
      <div class="actions">
        <button type="button" onClick={() => void run()}>
          {isAll ? 'Sign out everywhere' : 'Sign out'}
        </button>
        <button type="button" class="primary" onClick={onClose}>
          Keep {isAll ? 'them' : 'it'}
        </button>
      </div>
    </Dialog>
  )
}
