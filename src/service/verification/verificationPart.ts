/** The verification part of the service: whom an account's messages say that they are from, and how they are sent. */

import type { SenderIdDecision } from '../../commands/verification/decideSenderIds.ts'
import type { Asking, Call, Page, PageRequest, Seen, Written } from '../../domain/call.ts'
import type { OperatorPrincipal } from '../../domain/principal.ts'
import type { SenderIdStatus } from '../../domain/senderIds.ts'
import type { TemplateContent, TemplateInput, TemplatePatch } from '../../domain/templates.ts'

/** What became of a sender ID. */
export interface SenderIdAnswer {
  readonly sender_id: string
  readonly status: SenderIdStatus
  /** Of the operator's decision; absent while it is pending. */
  readonly reason?: string
}

/** A sender ID of an account; times in ISO 8601 UTC. */
export interface SenderIdView extends SenderIdAnswer {
  readonly submitted_at: string
  readonly decided_at?: string
}

/** A sender ID as the operator sees it. */
export interface SubmittedSenderId extends SenderIdView {
  readonly account_id: string
}

/** A sender ID of an account, and what the operator says of it. */
type SenderIdDecided = SenderIdDecision & {
  readonly accountId: string
  readonly senderId: string
}

export interface SenderIdsAsked {
  readonly accountId?: string
  readonly status?: SenderIdStatus
}

export interface TemplateView extends TemplateContent {
  readonly id: string
}

/** What accounts do throws `access_not_enabled` on one that may not manage its verification settings. */
export interface VerificationPart {
  readonly senderIds: {
    /**
     * Again changes nothing, unless it was rejected: then it starts anew. Throws `invalid_sender_id`, `conflict` when the account has too
     * many.
     */
    readonly submit: (call: Call, senderId: string) => Promise<Written<SenderIdAnswer>>
    /** In the order in which they were first submitted: a page, or all. */
    readonly list: (
      call: Call,
      asked: Asking & Partial<PageRequest>,
    ) => Promise<Seen<Page<SenderIdView>>>
    /** Of all accounts, or of one. */
    readonly listSubmitted: (
      call: Call<OperatorPrincipal>,
      asked: SenderIdsAsked & PageRequest,
    ) => Promise<Seen<Page<SubmittedSenderId>>>
    /** The same again changes nothing. Throws `not_found` for what the account never submitted. */
    readonly decide: (
      call: Call<OperatorPrincipal>,
      decided: SenderIdDecided,
    ) => Promise<Written<SenderIdAnswer>>
  } /**
   * A template that the account has not is `template_not_found`. Those who write throw `invalid_code_size`, and for a suffix that is new
   * `custom_suffix_not_enabled`, `invalid_suffix`, `suffix_script_not_supported` or `suffix_not_allowed`; `precondition_failed` when the
   * call's `ifMatch` does not hold.
   */
  readonly templates: {
    /** Throws `conflict` when the account has too many. */
    readonly create: (call: Call, input: TemplateInput) => Promise<Written<TemplateView>>
    /** What the patch leaves out stays as it is. */
    readonly update: (
      call: Call,
      id: string,
      patch: TemplatePatch,
    ) => Promise<Written<TemplateView>>
    readonly remove: (call: Call, id: string) => Promise<Written<Pick<TemplateView, 'id'>>>
    /** In the order in which they were created: a page, or all. */
    readonly list: (
      call: Call,
      asked: Asking & Partial<PageRequest>,
    ) => Promise<Seen<Page<TemplateView>>>
    readonly get: (call: Call, id: string, asking: Asking) => Promise<Seen<TemplateView>>
  }
}
