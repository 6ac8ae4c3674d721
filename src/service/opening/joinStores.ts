/** Opens the stores that another process of the service lends. */

import type { ProcessLine } from '../../domain/processLine.ts'
import { readModels } from '../../projections/readModels.ts'
import { joinedProjections } from '../../projections/running/joinedProjections.ts'
import { heldByNobody } from '../../projections/running/projectionLease.ts'
import type { Retried, SharedProjections } from '../../projections/running/projections.ts'
import { openJoinedEventStore } from '../../stores/embedded/joinedEventStore.ts'
import { joinedKeyStore } from '../../stores/embedded/joinedKeyStore.ts'
import type { EventStore } from '../../stores/eventStore.ts'
import type { KeyStore } from '../../stores/keyStore.ts'
import { type Followers, followers } from './followedByAll.ts'
import type { LentSecrets } from './lendStores.ts'

/** The process that lends its stores. */
export interface Lender {
  readonly line: ProcessLine
  /** Whether it has said nothing for so long that nothing is to be expected of it: what it last told of its stores is old. */
  readonly isSilent: () => boolean
}

export interface JoinedStores {
  readonly events: EventStore
  readonly keys: KeyStore
  readonly projections: SharedProjections
  readonly secrets: LentSecrets
  readonly followers: Followers
}

/** `folder` is the absolute path of the data folder. Rejects with an `Error` that names a file that cannot be read, or `unavailable`. */
export async function joinStores(
  folder: string,
  { line, isSilent }: Lender,
): Promise<JoinedStores> {
  const projections = joinedProjections(readModels, {
    retryParked: async (projection) => (await line.ask('retryParked', projection)) as Retried,
    hurry: () => line.tell('hurry'),
  })
  const events = openJoinedEventStore({ folder, line })
  line.serve({ hears: { log: events.hear, projections: projections.hear } })
  const others = { keys: joinedKeyStore(line), followers: followers(line) }
  const secrets = (await line.ask('join')) as LentSecrets
  return {
    events: { ...events, takesAppends: () => !isSilent() && events.takesAppends() },
    projections: {
      ...projections,
      holding: () => (isSilent() ? heldByNobody : projections.holding()),
    },
    secrets,
    ...others,
  }
}
