/** Lists that were deleted, whose documents are still to be taken away. */

import type { DecodedEvent } from '../../events/recording/event.ts'
import type { RulebookEvent } from '../../events/rulebook/rulebook.ts'

export type ListDeleted = Extract<RulebookEvent, { type: 'ListDeleted' }>

/** By `{account}/{list}`, until nothing is left of it. */
export interface DeletedListDocument {
  readonly account: string
  readonly list: string
  /** In milliseconds since the Unix epoch. */
  readonly deleted_at: number
}

/** The name of its document. */
export function deletedListId({ event, metadata }: DecodedEvent<ListDeleted>): string {
  return `${metadata.account}/${event.data.list_id}`
}

/** What is noted of it. */
export function deletedList({ event, metadata }: DecodedEvent<ListDeleted>): DeletedListDocument {
  return { account: metadata.account, list: event.data.list_id, deleted_at: metadata.time }
}
