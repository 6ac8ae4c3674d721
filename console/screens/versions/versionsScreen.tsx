/** Lists the versions of a rule, a recipe or a flow, with what each changed and the verdicts it gave. */

import { here, linkTo } from '../../api/address.ts'
import { useAnswer } from '../../api/query.ts'
import { may } from '../../api/session.ts'
import { CopyId } from '../../parts/copyId.tsx'
import { describeContent, type Kind, namedBy, nouns } from '../../parts/describeContent.ts'
import { Moment } from '../../parts/moment.tsx'
import { Empty, Pending } from '../../parts/states.tsx'
import { TextDiff } from '../../parts/textDiff.tsx'
import { useNames } from '../../parts/useNames.ts'
import type { ViewProps } from '../screen.ts'
import { Given } from './given.tsx'
import { isKind, type Version } from './kinds.ts'
import { Restoring } from './restoring.tsx'

export function VersionsScreen({ params: { kind = '', id = '' } }: ViewProps) {
  if (isKind(kind)) return <Versions kind={kind} id={id} />
  return <Empty title="There are versions of rules, recipes and flows" isPage />
}

interface OfKind {
  readonly kind: Kind
  readonly id: string
}

function Versions({ kind, id }: OfKind) {
  const answer = useAnswer(`GET /v2/watch/management/${kind}/{id}/versions`, {
    path: { id },
    query: { limit: 100 },
  })
  const { value, refetch } = answer
  const versions: readonly Version[] = value?.versions ?? []
  const shown = here.value.query.get('version')
  return (
    <>
      <div class="head">
        <h1>
          Versions of <bdi>{versions[0]?.name ?? `a ${nouns[kind]}`}</bdi>
        </h1>
        <CopyId id={id} />
        {kind !== 'flows' && <a href={linkTo(`/${kind}/${id}`)}>To the {nouns[kind]}</a>}
      </div>
      {shown !== null && may('analyse') && <Given key={shown} id={shown} />}
      <Pending of={answer} lines={8} />
      {versions.length > 0 && (
        <ol class="card changes">
          {versions.map((version, index) => (
            <OneVersion
              key={version.changed_at + version.version_id}
              of={{ kind, id }}
              version={version}
              before={versions[index + 1]}
              isNewest={index === 0}
              onRestored={refetch}
            />
          ))}
        </ol>
      )}
      {value?.next_cursor !== undefined && (
        <p class="soft">The newest 100 changes are shown. The command has all of them.</p>
      )}
    </>
  )
}

const changes = {
  created: 'Saved',
  restored: 'Restored',
  status_set: 'Status set',
  deleted: 'Deleted',
} as const

interface OneProps {
  readonly of: OfKind
  readonly version: Version
  readonly before: Version | undefined
  readonly isNewest: boolean
  readonly onRestored: () => void
}

function OneVersion({ of, version, before, isNewest, onRestored }: OneProps) {
  const { kind, id } = of
  const names = useNames(namedBy[kind])
  const text = describe(version, names)
  const { version_id, change, changed_at, changed_by, current } = version
  return (
    <li>
      <p class="marks">
        <b>{changes[change]}</b> <Moment at={changed_at} />
        <span class="soft">
          by <code>{changed_by}</code>
        </span>
        {current && <span class="badge">{isNewest ? 'current' : 'same as current'}</span>}
      </p>
      <TextDiff before={before ? describe(before, names) : text} after={text} />
      <div class="actions">
        <CopyId id={version_id} shown={6} />
        {may('analyse') && (
          <a href={linkTo(`/versions/${kind}/${id}`, { version: version_id })}>Verdicts it gave</a>
        )}
        {!current && change !== 'deleted' && may('author') && (
          <Restoring kind={kind} id={id} version={version} onRestored={onRestored} />
        )}
      </div>
    </li>
  )
}

const describe = (version: Version, names: ReadonlyMap<string, string>): string =>
  describeContent(version as Parameters<typeof describeContent>[0], names)
