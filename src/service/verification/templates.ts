/** The templates of an account. */

import { onCondition } from '../../commands/handling/onCondition.ts'
import {
  createTemplate,
  deleteTemplate,
  updateTemplate,
} from '../../commands/verification/changeTemplates.ts'
import type { Call, Written } from '../../domain/call.ts'
import { derivedId, idPrefixes, missing } from '../../domain/ids.ts'
import { type TemplatePatch, templatesMax } from '../../domain/templates.ts'
import type { AccountState } from '../../events/accounts/account.ts'
import {
  type TemplateEvent,
  type TemplateState,
  templateStream,
} from '../../events/verification/template.ts'
import { reached } from '../../queries/reading/reached.ts'
import { templateReader } from '../../queries/verification/templates.ts'
import { assertManagement } from '../lists/assertManagement.ts'
import {
  carryOut,
  eventContextOf,
  type ServiceContext,
  whenVisible,
} from '../opening/serviceContext.ts'
import type { TemplateView, VerificationPart } from './verificationPart.ts'

type Templates = VerificationPart['templates']

/** Opens what accounts do with templates. */
export function openTemplates(context: ServiceContext): Templates {
  const { heavyReads } = context
  return {
    create: async (call, input) =>
      shownOf(
        await change(context, call, {
          operation: 'templates.create',
          input,
          decide: (id, writer) => createTemplate(id, input, writer),
        }),
      ),
    update: async (call, id, patch) =>
      shownOf(
        await change(context, call, {
          operation: `templates.update ${id}`,
          input: patch,
          id,
          decide: (_, writer) => onCondition(call, updateTemplate(id, patch, writer), there(id)),
        }),
      ),
    remove: async (call, id) => {
      const written = await change(context, call, {
        operation: `templates.delete ${id}`,
        input: null,
        id,
        decide: () => onCondition(call, deleteTemplate(id), there(id)),
      })
      return { ...written, value: { id } }
    },
    list: async (call, { minPosition, limit = templatesMax, ...page }) => {
      await assertManagement(context, call)
      const position = await reached(context, minPosition)
      const { principal } = call
      const asked = { account: principal.accountId, limit, ...page }
      return { value: await heavyReads.ask(principal, 'listTemplates', asked), position }
    },
    get: async (call, id, { minPosition }) => {
      await assertManagement(context, call)
      const position = await reached(context, minPosition)
      const value = await templateReader.find(context, { account: call.principal.accountId, id })
      if (!value) throw missing('template')
      return { value, position }
    },
  }
}

type Decide = (state: TemplateState) => readonly TemplateEvent[]

interface Change {
  readonly operation: string
  readonly input: TemplatePatch | null
  /** Of the template; undefined for a new one. */
  readonly id?: string
  readonly decide: (id: string, writer: AccountState) => Decide
}

/** Carries the command out, and answers with the template as it is then; undefined when it is gone. */
async function change(
  context: ServiceContext,
  call: Call,
  { operation, input, decide, ...asked }: Change,
): Promise<Written<TemplateView | undefined>> {
  const writer = await assertManagement(context, call)
  const account = call.principal.accountId
  const stream = templateStream(account)
  const eventContext = eventContextOf(context, call, { account, operation, input })
  const idBy = (command: string): string =>
    asked.id ?? derivedId(idPrefixes.template, command, 'template')
  const handled = await carryOut(context, context.templates, {
    stream,
    context: eventContext,
    decide: decide(idBy(eventContext.command), writer),
  })
  const { position, repeated, command } = handled
  // a request sent again is answered as it was, whatever has been changed since
  const then = repeated ? await context.templates.stateAt(stream, position) : handled.state
  const value = viewIn(then, idBy(command))
  const { visible } = await whenVisible(context, { position })
  return { value, position, visible }
}

function shownOf({ value, ...written }: Written<TemplateView | undefined>): Written<TemplateView> {
  if (!value) throw missing('template')
  return { ...written, value }
}

function viewIn(state: TemplateState, id: string): TemplateView | undefined {
  const content = state.get(id)
  return content && { id, ...content }
}

/** The template in the state that is decided on. Throws `template_not_found`. */
function there(id: string) {
  return (state: TemplateState): TemplateView => {
    const template = viewIn(state, id)
    if (!template) throw missing('template')
    return template
  }
}
