/** What the raw log and the key store have of an account's erasures, counted without any read model. */

import type { Vigil } from '../../support/openVigil.ts'

type Fields = Readonly<Record<string, unknown>>

interface LoggedEvent {
  readonly type: string
  readonly data: Fields
  readonly position: number
  /** The keys of its personal fields. */
  readonly keys: readonly string[]
}

/** The events of an account in the order of the log. */
async function readEvents(
  { service }: Pick<Vigil, 'service'>,
  accountId: string,
  after = 0,
): Promise<readonly LoggedEvent[]> {
  const recorded = await service.context.events.readAll({ after, limit: 1_000_000 })
  return recorded.flatMap(({ type, data: text, metadata, position }) => {
    const { account, subjects = [] } = JSON.parse(metadata) as {
      readonly account: string
      readonly subjects?: readonly { readonly key: string }[]
    }
    const keys = subjects.map(({ key }) => key)
    return account === accountId ? [{ type, data: JSON.parse(text) as Fields, position, keys }] : []
  })
}

/**
 * The same members as a certificate of everything that was erased in the account; `after`: where the account begins in
 * the log.
 */
export async function countErased(vigil: Pick<Vigil, 'service'>, accountId: string, after = 0) {
  const events = await readEvents(vigil, accountId, after)
  const states = await vigil.service.context.keyring.keys(events.flatMap(({ keys }) => keys))
  const isLost = (field: unknown) =>
    states.get((field as { readonly sealed: { readonly key: string } }).sealed.key) === 'destroyed'
  const evaluations = events.filter(
    ({ type, data }) => type === 'FlowEvaluated' && isLost(data['evidence']),
  )
  const reports = events.filter(
    ({ type, data }) =>
      (type === 'FeedbackReceived' || type === 'EventReported') && isLost(data['target']),
  )
  const named = new Set(
    [...evaluations, ...reports].flatMap(({ data }) => data['dispatch_subject'] ?? []),
  )
  const erasures = events.filter(({ type }) => type === 'SubjectErased')
  return {
    keys: new Set(erasures.flatMap(({ data }) => data['keys'] as readonly string[])).size,
    evaluations: evaluations.length,
    dispatches: named.size,
    users: events.filter(({ type }) => type === 'UserDeleted').length,
    erasures: erasures.map(({ position }) => String(position)),
  }
}

/**
 * What an erasure wrote behind a position, without what differs from one person to another (ids, times and positions),
 * and where its `SubjectErased` stand in the log.
 */
export async function readErasureLog(
  vigil: Pick<Vigil, 'service'>,
  accountId: string,
  after: number,
): Promise<{ readonly log: readonly string[]; readonly logged: readonly string[] }> {
  const events = await readEvents(vigil, accountId, after)
  const seen = new Map<string, number>()
  const indexOf = (id: string) => seen.get(id) ?? seen.set(id, seen.size).size - 1
  const erasures = events.filter(({ type }) => type === 'SubjectErased')
  return {
    log: events
      .filter(({ type }) => type !== 'ApiTokenUsed')
      .map(({ type, data: { keys, positions, ...data } }) => {
        const rest = JSON.stringify(data)
          .replaceAll(/[\w-]{20,}/g, (id) => `${indexOf(id)}`)
          .replaceAll(/\d{13}/g, 'time')
        return `${type} ${rest} keys: ${Array.isArray(keys) ? keys.length : keys}`
      }),
    logged: erasures.map(({ position }) => `${position}`),
  }
}
