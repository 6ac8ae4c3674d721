/** Creates, updates and deletes the message templates of an account. */

import { isDeepStrictEqual } from 'node:util'
import type { Call, WriteResult } from '../../domain/call.ts'
import { Failure } from '../../domain/failure.ts'
import { deriveId, idNotFound, idPrefixes } from '../../domain/ids.ts'
import {
  mergedTemplate,
  type Template,
  type TemplateContent,
  type TemplateInput,
  type TemplatePatch,
  templateBounds,
  templateDefaults,
  templatesMax,
} from '../../domain/verification/templates.ts'
import type { AccountState } from '../../events/accounts/account.ts'
import {
  evolveTemplates,
  type TemplateEvent,
  type TemplateState,
  templateStream,
} from '../../events/verification/template.ts'
import { type AccountStreams, requireManagement } from '../accounts/requireAccess.ts'
import type { WriteContext } from '../handling/commandContext.ts'
import { decideIfMatch } from '../handling/decideIfMatch.ts'
import { buildEventContext, executeCommand, waitUntilVisible } from '../handling/executeCommand.ts'
import type { FoldedStreamCache } from '../handling/foldedStreamCache.ts'
import type { StreamType } from '../handling/streamType.ts'
import { checkSuffix } from './checkSuffix.ts'

type Context = WriteContext &
  AccountStreams & { readonly templates: FoldedStreamCache<TemplateState, TemplateEvent> }

/** About what a template takes, beside the texts of its name and suffix. */
const templateBytes = 400

export const templateStreamType: StreamType<TemplateState, TemplateEvent> = {
  initial: () => new Map(),
  evolve: evolveTemplates,
  estimateBytes: (state) => {
    let bytes = 0
    for (const { name, suffix = '' } of state.values()) {
      bytes += templateBytes + (name.length + suffix.length) * 2
    }
    return bytes
  },
}

/**
 * Throws `access_not_enabled`, `invalid_code_size`, `conflict` when the account has too many, and for a suffix `custom_suffix_not_enabled`,
 * `invalid_suffix`, `suffix_script_not_supported` or `suffix_not_allowed`.
 */
export async function createTemplate(
  context: Context,
  call: Call,
  input: TemplateInput,
): Promise<WriteResult<Template>> {
  return shownOf(
    await change(context, call, {
      operation: 'templates.create',
      input,
      decide: (id, account) => decideCreation(id, input, account),
    }),
  )
}

/**
 * Throws `template_not_found`, `precondition_failed` when the call's `ifMatch` does not hold, and like `createTemplate` for changed
 * fields.
 */
export async function updateTemplate(
  context: Context,
  call: Call,
  { id, patch }: { readonly id: string; readonly patch: TemplatePatch },
): Promise<WriteResult<Template>> {
  return shownOf(
    await change(context, call, {
      operation: `templates.update ${id}`,
      input: patch,
      id,
      decide: (_, account) => decideIfMatch(call, decideUpdate(id, patch, account), templateBy(id)),
    }),
  )
}

/** Throws `access_not_enabled`, `template_not_found`, also for one that is gone already, `precondition_failed`. */
export async function deleteTemplate(
  context: Context,
  call: Call,
  id: string,
): Promise<WriteResult<Pick<Template, 'id'>>> {
  const written = await change(context, call, {
    operation: `templates.delete ${id}`,
    input: null,
    id,
    decide: () => decideIfMatch(call, decideDeletion(id), templateBy(id)),
  })
  return { ...written, value: { id } }
}

type Decide = (state: TemplateState) => readonly TemplateEvent[]

/** The account as it is when the template is written. */
type Account = Pick<AccountState, 'name' | 'custom_suffix'>

function decideCreation(id: string, input: TemplateInput, account: Account): Decide {
  return (state) => {
    const content = checked(
      mergedTemplate({ ...templateDefaults, name: input.name }, input),
      account,
    )
    if (state.size >= templatesMax) {
      const message = `An account has at most ${templatesMax} templates; delete one first.`
      throw new Failure('conflict', message)
    }
    return [{ type: 'TemplateCreated', data: { template_id: id, ...content } }]
  }
}

/** Nothing when nothing changes. A suffix that stays is not checked anew. */
function decideUpdate(id: string, patch: TemplatePatch, account: Account): Decide {
  return (state) => {
    const { id: _, ...before } = templateBy(id)(state)
    const content = checked(mergedTemplate(before, patch), account, before.suffix)
    if (isDeepStrictEqual(before, content)) return []
    return [{ type: 'TemplateUpdated', data: { template_id: id, ...content } }]
  }
}

function decideDeletion(id: string): Decide {
  return (state) => {
    templateBy(id)(state)
    return [{ type: 'TemplateDeleted', data: { template_id: id } }]
  }
}

function checked(content: TemplateContent, account: Account, kept?: string): TemplateContent {
  const { code_size: size, suffix } = content
  const { min, max } = templateBounds.code_size
  if (size < min || size > max) {
    const details = [
      { path: 'code_size', message: `Must be a whole number from ${min} to ${max}.` },
    ]
    throw new Failure('invalid_code_size', 'The size of the code is invalid; see details.', {
      param: 'request',
      details,
    })
  }
  if (suffix === undefined || suffix === kept) return content
  return { ...content, suffix: checkSuffix(suffix, account) }
}

interface Change {
  readonly operation: string
  readonly input: TemplatePatch | null
  /** Of the template; undefined for a new one. */
  readonly id?: string
  readonly decide: (id: string, account: Account) => Decide
}

/** Carries the command out, and answers with the template as it is then; undefined when it is gone. */
async function change(
  context: Context,
  call: Call,
  { operation, input, decide, ...asked }: Change,
): Promise<WriteResult<Template | undefined>> {
  const state = await requireManagement(context, call)
  const account = call.principal.accountId
  const stream = templateStream(account)
  const eventContext = buildEventContext(context, call, { account, operation, input })
  const idBy = (command: string): string =>
    asked.id ?? deriveId(idPrefixes.template, command, 'template')
  const handled = await executeCommand(context, context.templates, {
    stream,
    context: eventContext,
    decide: decide(idBy(eventContext.command), state),
  })
  const { position, repeated, command } = handled
  // a request sent again is answered as it was, whatever has been changed since
  const then = repeated ? await context.templates.stateAt(stream, position) : handled.state
  const value = templateIn(then, idBy(command))
  const { visible } = await waitUntilVisible(context, { position })
  return { value, position, visible }
}

function shownOf({ value, ...written }: WriteResult<Template | undefined>): WriteResult<Template> {
  if (!value) throw idNotFound('template')
  return { ...written, value }
}

function templateIn(state: TemplateState, id: string): Template | undefined {
  const content = state.get(id)
  return content && { id, ...content }
}

/** Finds the template in a state. Throws `template_not_found`. */
function templateBy(id: string) {
  return (state: TemplateState): Template => {
    const template = templateIn(state, id)
    if (!template) throw idNotFound('template')
    return template
  }
}
