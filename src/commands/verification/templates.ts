/** Creates, updates and deletes the message templates of an account. */

import { isDeepStrictEqual } from 'node:util'
import type { Call, WriteResult } from '../../domain/call.ts'
import { Failure } from '../../domain/failure.ts'
import { deriveId, idNotFoundFailure, idPrefixes } from '../../domain/ids.ts'
import {
  applyTemplateDefaults,
  numericTemplateSettings,
  type Template,
  type TemplateContent,
  type TemplateInput,
  type TemplatePatch,
  templatesMax,
} from '../../domain/verification/templates.ts'
import type { AccountState } from '../../events/accounts/account.ts'
import {
  type TemplateEvent,
  type TemplatesState,
  templateStream,
} from '../../events/verification/template.ts'
import { type AccountStreams, requireManagement } from '../../state/accounts/requireAccess.ts'
import type { FoldedStreamCache } from '../../state/folding/foldedStreamCache.ts'
import type { WriteContext } from '../handling/commandContext.ts'
import { decideIfMatch } from '../handling/decideIfMatch.ts'
import { buildEventContext, executeAndPresent } from '../handling/executeCommand.ts'
import { checkSuffix } from './checkSuffix.ts'

type Context = WriteContext &
  AccountStreams & { readonly templates: FoldedStreamCache<TemplatesState, TemplateEvent> }

/**
 * Throws `access_not_enabled`, `invalid_code_size`, `conflict` when the account has too many, and for a suffix
 * `custom_suffix_not_enabled`, `invalid_suffix`, `suffix_script_not_supported` or `suffix_not_allowed`.
 */
export function createTemplate(
  context: Context,
  call: Call,
  input: TemplateInput,
): Promise<WriteResult<Template>> {
  return writeTemplate(context, call, {
    operation: 'templates.create',
    input,
    decide: (state, { id, account }) => {
      const content = checkContent(applyTemplateDefaults(input), account)
      if (state.size >= templatesMax) {
        const message = `An account has at most ${templatesMax} templates; delete one first.`
        throw new Failure('conflict', message)
      }
      return [{ type: 'TemplateCreated', data: { template_id: id, ...content } }]
    },
    present: requireTemplateIn,
  })
}

/**
 * Nothing is written when nothing changes. Throws `template_not_found`, `precondition_failed` when the call's `ifMatch`
 * does not hold, and like `createTemplate` for changed fields.
 */
export function updateTemplate(
  context: Context,
  call: Call,
  { id, patch }: { readonly id: string; readonly patch: TemplatePatch },
): Promise<WriteResult<Template>> {
  return writeTemplate(context, call, {
    operation: `templates.update ${id}`,
    input: patch,
    id,
    decide: (state, { account }) => {
      const { id: _, ...before } = requireTemplateIn(state, id)
      const after = applyTemplateDefaults({ ...before, ...patch })
      const content = checkContent(after, account, before.suffix)
      if (isDeepStrictEqual(before, content)) return []
      return [{ type: 'TemplateUpdated', data: { template_id: id, ...content } }]
    },
    present: requireTemplateIn,
  })
}

/** Throws `access_not_enabled`, `template_not_found`, also for one that is gone already, `precondition_failed`. */
export function deleteTemplate(
  context: Context,
  call: Call,
  id: string,
): Promise<WriteResult<Pick<Template, 'id'>>> {
  return writeTemplate(context, call, {
    operation: `templates.delete ${id}`,
    input: null,
    id,
    decide: (state) => {
      requireTemplateIn(state, id)
      return [{ type: 'TemplateDeleted', data: { template_id: id } }]
    },
    present: () => ({ id }),
  })
}

/** The account as it is when the template is written. */
type Account = Pick<AccountState, 'name' | 'custom_suffix'>

/** The content with its suffix in canonical form; a suffix that is kept is not checked again. */
function checkContent(content: TemplateContent, account: Account, kept?: string): TemplateContent {
  const { code_size: size, suffix } = content
  const { min, max } = numericTemplateSettings.code_size
  if (size < min || size > max) {
    throw new Failure('invalid_code_size', 'The size of the code is invalid; see details.', {
      param: 'request',
      details: [{ path: 'code_size', message: `Must be a whole number from ${min} to ${max}.` }],
    })
  }
  if (suffix === undefined || suffix === kept) return content
  return { ...content, suffix: checkSuffix(suffix, account) }
}

interface TemplateChange<View> {
  readonly operation: string
  readonly input: TemplatePatch | null
  /** Of the template; undefined for a new one. */
  readonly id?: string
  readonly decide: (
    state: TemplatesState,
    written: { readonly id: string; readonly account: Account },
  ) => readonly TemplateEvent[]
  readonly present: (state: TemplatesState, id: string) => View
}

async function writeTemplate<View>(
  context: Context,
  call: Call,
  { operation, input, id: given, ...change }: TemplateChange<View>,
): Promise<WriteResult<View>> {
  const account = await requireManagement(context, call)
  const { accountId } = call.principal
  const eventContext = buildEventContext(context, call, { account: accountId, operation, input })
  const idBy = (command: string): string =>
    given ?? deriveId(idPrefixes.template, command, 'template')
  const id = idBy(eventContext.command)
  const decide = (state: TemplatesState) => change.decide(state, { id, account })
  return executeAndPresent(context, context.templates, {
    stream: templateStream(accountId),
    context: eventContext,
    decide:
      given === undefined
        ? decide
        : decideIfMatch(call, decide, (state) => requireTemplateIn(state, given)),
    present: (state, command) => change.present(state, idBy(command)),
  })
}

/** Throws `template_not_found`. */
function requireTemplateIn(state: TemplatesState, id: string): Template {
  const content = state.get(id)
  if (!content) throw idNotFoundFailure('template')
  return { id, ...content }
}
