/** Lists the sender IDs of the caller's account, or of one or all accounts for the operator. */

import type { Call, Page, PageRequest } from '../../domain/call.ts'
import {
  openObject,
  optional,
  pageSchema,
  type TypeOf,
  text,
  timeSchema,
} from '../../domain/jsonSchema.ts'
import type { OperatorPrincipal } from '../../domain/principal.ts'
import { withIsoTimes } from '../../domain/text/isoTime.ts'
import {
  type SenderIdStatus,
  senderIdFields,
  senderIdsMax,
} from '../../domain/verification/senderIds.ts'
import type { FoundDocument, Readers } from '../../projections/running/documents.ts'
import {
  type SenderIdDocument,
  senderIdCollection,
} from '../../projections/verification/senderIds.ts'
import { type AccountStreams, requireManagement } from '../../state/accounts/requireAccess.ts'
import { findPage } from '../reading/page.ts'
import type { HeavyContext } from '../reading/queryContext.ts'

const listedFields = {
  ...senderIdFields,
  submitted_at: timeSchema,
  decided_at: optional({ ...timeSchema, description: 'Absent while it is pending.' }),
} as const
const listedSchema = openObject('ListedSenderId', listedFields)
const submittedSchema = openObject('SubmittedSenderId', { account_id: text, ...listedFields })

export const senderIdsSchema = pageSchema('SenderIdPage', 'sender_ids', listedSchema)
export const submittedSenderIdsSchema = pageSchema(
  'SubmittedSenderIdPage',
  'sender_ids',
  submittedSchema,
)

export type SenderIdView = TypeOf<typeof listedSchema>

/** A sender ID as the operator sees it. */
export type SubmittedSenderId = TypeOf<typeof submittedSchema>

export interface SenderIdListQuery {
  /** Of all accounts when left out. */
  readonly account?: string
  readonly status?: SenderIdStatus
}

type Context = HeavyContext<{ listSenderIdDocuments: typeof listSenderIdDocuments }>

/** The account's, in the order of first submission: a page, or all. Throws `access_not_enabled`. */
export async function listSenderIds(
  context: Context & AccountStreams,
  call: Call,
  { limit = senderIdsMax, ...page }: Partial<PageRequest>,
): Promise<Page<SenderIdView>> {
  await requireManagement(context, call)
  const { principal } = call
  const asked = { account: principal.accountId, limit, ...page }
  const found = await context.heavyQueries.listSenderIdDocuments(principal, asked)
  return { ...found, items: found.items.map(toSenderIdView) }
}

/** Of all accounts, or of one. */
export async function listSubmittedSenderIds(
  context: Context,
  { principal }: Call<OperatorPrincipal>,
  asked: SenderIdListQuery & PageRequest,
): Promise<Page<SubmittedSenderId>> {
  const found = await context.heavyQueries.listSenderIdDocuments(principal, asked)
  const items = found.items.map((one) => ({ account_id: one.body.account, ...toSenderIdView(one) }))
  return { ...found, items }
}

/** In the order in which they were first submitted. Throws `invalid_request` for an invalid cursor. */
export function listSenderIdDocuments(
  readers: Readers,
  { account, status, ...asked }: SenderIdListQuery & PageRequest,
): Promise<Page<FoundDocument<SenderIdDocument>>> {
  const where = {
    ...(account !== undefined && { account }),
    ...(status !== undefined && { status }),
  }
  return findPage(readers, senderIdCollection, { where, sort: ['made'], ...asked })
}

function toSenderIdView({ body }: FoundDocument<SenderIdDocument>): SenderIdView {
  const { account: _, made: __, ...said } = body
  return withIsoTimes(said, ['submitted_at', 'decided_at'])
}
