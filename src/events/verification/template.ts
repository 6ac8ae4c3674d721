/** The family of templates: streams `templates-{account}`, so that how many an account has is decided in one place. */

import type { TemplateContent } from '../../domain/templates.ts'
import type { DomainEvent } from '../recording/event.ts'

export type TemplateEvent =
  | DomainEvent<'TemplateCreated', Stored>
  /** With all that the template says from then on, whatever was changed. */
  | DomainEvent<'TemplateUpdated', Stored>
  | DomainEvent<'TemplateDeleted', { readonly template_id: string }>

interface Stored extends TemplateContent {
  readonly template_id: string
}

/** The templates of an account, by their ids, in the order in which they were created. */
export type TemplateState = Map<string, TemplateContent>

/** The stream of an account's templates. */
export function templateStream(account: string): string {
  return `templates-${account}`
}
