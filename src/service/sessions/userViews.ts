/** Users as their accounts see them. */

import type { Identifier } from '../../domain/identifiers.ts'
import { isoTime } from '../../domain/isoTime.ts'
import { openPersonal, sealedUnder } from '../../events/catalogue.ts'
import { isForgotten } from '../../events/recording/isForgotten.ts'
import { recordedUser, type UserDocument } from '../../projections/sessions/users.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'
import type { UserView } from './usersPart.ts'

interface Shown {
  readonly identifiers: readonly Identifier[]
  /** Milliseconds since the Unix epoch. */
  readonly created_at: number
}

/** The user of this id. */
export function userView(id: string, { identifiers, created_at }: Shown): UserView {
  return { id, identifiers, created_at: isoTime(created_at) }
}

interface Found {
  readonly id: string
  readonly body: UserDocument
}

/** In the same order, all keys asked for at once. Throws `unavailable` where a key is lost. */
export async function openUsers(
  { keyring }: Pick<ServiceContext, 'keyring'>,
  found: readonly Found[],
): Promise<readonly UserView[]> {
  const recorded = found.map(({ body }) => recordedUser(body))
  const keys = await keyring.keys([...new Set(recorded.flatMap(sealedUnder))])
  return recorded.map((one) => {
    const { user_id, identifiers, created_at } = openPersonal(one, keys).event.data
    const shown = isForgotten(identifiers) ? [] : (identifiers as readonly Identifier[])
    return userView(user_id, { identifiers: shown, created_at })
  })
}
