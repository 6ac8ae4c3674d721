/** Knows the names of the rules, recipes and flows of the account by their ids. */

import { useAnswer } from '../api/query.ts'
import type { Kind } from './describeContent.ts'

/** Of the first 200; empty until they are there. */
export function useNames(kind: Kind): ReadonlyMap<string, string> {
  const { value } = useAnswer(`GET /v2/watch/management/${kind}`, { query: { limit: 200 } })
  const all: readonly { readonly id: string; readonly name: string }[] =
    Object.values(value ?? {}).find(Array.isArray) ?? []
  return new Map(all.map(({ id, name }) => [id, name]))
}
