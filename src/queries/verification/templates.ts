/** Lists and finds the message templates of an account. */

import type { Call, Page, PageRequest } from '../../domain/call.ts'
import { idNotFoundFailure } from '../../domain/ids.ts'
import { type Template, templatesMax } from '../../domain/verification/templates.ts'
import { templateCollection } from '../../projections/verification/templates.ts'
import { type AccountStreams, requireManagement } from '../../state/accounts/requireAccess.ts'
import type { HeavyContext, QueryContext } from '../reading/queryContext.ts'
import { createResourceReader, toOwnedDocumentView } from '../reading/resourceReader.ts'

export const templateReader = createResourceReader(templateCollection, toOwnedDocumentView)

/** In the order in which they were created: a page, or all. Throws `access_not_enabled`. */
export async function listTemplates(
  context: AccountStreams & HeavyContext<{ listTemplates: typeof templateReader.list }>,
  call: Call,
  { limit = templatesMax, ...page }: Partial<PageRequest>,
): Promise<Page<Template>> {
  await requireManagement(context, call)
  const { principal } = call
  const asked = { account: principal.accountId, limit, ...page }
  return context.heavyQueries.listTemplates(principal, asked)
}

/** Throws `access_not_enabled`, `template_not_found`. */
export async function requireTemplate(
  context: AccountStreams & Pick<QueryContext, 'documents' | 'projections'>,
  call: Call,
  { id }: { readonly id: string },
): Promise<Template> {
  await requireManagement(context, call)
  const found = await templateReader.find(context, { account: call.principal.accountId, id })
  if (!found) throw idNotFoundFailure('template')
  return found
}
