/** Declares what is edited of a flow, and saves it. */

import { ask } from '../../api/client.ts'
import type { Flow, FlowInput } from '../../api/schema.ts'

/** A flow in work; `etag` is that of the version it was opened from. */
export interface Draft {
  readonly content: FlowInput
  readonly etag?: string | undefined
}

export interface Saved {
  readonly flow: Flow
  readonly etag: string | undefined
}

export const blank: Draft = { content: { name: '', recipes: [] } }

export const draftOf = ({ flow: { name, recipes }, etag }: Saved): Draft => ({
  content: { name, recipes },
  etag,
})

export const isSame = (one: FlowInput, other: FlowInput): boolean =>
  one.name === other.name && one.recipes.join() === other.recipes.join()

/** `id`: undefined of a new flow. */
export function put(id: string | undefined, { name, recipes }: FlowInput, etag?: string) {
  const body = { name: name.trim(), recipes }
  if (id === undefined) return ask('POST /v2/watch/management/flows', { body })
  const guard = etag !== undefined && { ifMatch: etag }
  return ask('PUT /v2/watch/management/flows/{id}', { path: { id }, body, ...guard })
}
