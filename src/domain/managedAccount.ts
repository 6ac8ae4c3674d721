/** Derives the account and the ids of managed rules and recipes, the same on every installation. */

import { derivedId, type IdPrefix } from './ids.ts'

/** Namespace of the ids of what ships with the product. */
const namespace = '6d1f3a52-0c3e-4f0b-9a57-41f7f0a3c2d8'

/** There is no token of this account, since it is never opened. */
export const managedAccount = derivedId('acc', namespace, 'managed')

/** The id of something that ships with the product under this key: the same on every installation. */
export function shippedId(prefix: IdPrefix, key: string): string {
  return derivedId(prefix, namespace, key)
}
