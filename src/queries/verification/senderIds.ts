/** Questions about sender IDs. */

import type { Page } from '../../domain/call.ts'
import type { SenderIdStatus } from '../../domain/senderIds.ts'
import type { Made } from '../../projections/running/made.ts'
import {
  type SenderIdDocument,
  senderIdCollection,
} from '../../projections/verification/senderIds.ts'
import type { Readers } from '../reading/documents.ts'
import { findPage, type PageAsked } from '../reading/page.ts'

export type SenderIdFound = Omit<SenderIdDocument, keyof Made>

interface SenderIdsAsked extends PageAsked {
  /** Of all accounts when left out. */
  readonly account?: string
  readonly status?: SenderIdStatus
}

/** In the order in which they were first submitted. Throws `invalid_request` for what is no cursor. */
export async function listSenderIds(
  readers: Readers,
  { account, status, ...asked }: SenderIdsAsked,
): Promise<Page<SenderIdFound>> {
  const where = {
    ...(account !== undefined && { account }),
    ...(status !== undefined && { status }),
  }
  const page = await findPage(readers, senderIdCollection, { where, sort: ['made'], ...asked })
  return { ...page, items: page.items.map(({ body: { made: _, ...said } }) => said) }
}
