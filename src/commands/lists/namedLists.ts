/** Creates, changes and deletes an account's named lists, which rules can look values up in. */

import type { Call, WriteResult } from '../../domain/call.ts'
import { requireExisting } from '../../domain/failure.ts'
import { deriveId } from '../../domain/ids.ts'
import { closedObject, type TypeOf } from '../../domain/jsonSchema.ts'
import {
  type RulebookEvent,
  type RulebookState,
  rulebookStream,
} from '../../events/rulebook/rulebook.ts'
import { requireAuthoring } from '../../state/accounts/requireAccess.ts'
import type { ListContext } from '../../state/lists/entryKey.ts'
import {
  decideListCreation,
  decideListDeletion,
  decideListDescription,
  findListView,
  type ListView,
  listFields,
} from '../../state/rulebook/namedListDecisions.ts'
import type { WriteContext } from '../handling/commandContext.ts'
import { buildEventContext, executeAndPresent } from '../handling/executeCommand.ts'

export type ListInput = Omit<ListView, 'id'>

export const listChangeSchema = closedObject('ListChange', { description: listFields.description })
type ListChange = TypeOf<typeof listChangeSchema>

type Context = WriteContext & ListContext

/** Throws `access_not_enabled`, `conflict` for a name that is taken. */
export async function createList(
  context: Context,
  call: Call,
  input: ListInput,
): Promise<WriteResult<ListView>> {
  return requireView(
    await change(context, call, {
      operation: 'lists.create',
      input,
      decide: (state, id) => decideListCreation(state, id, input),
    }),
  )
}

/** Only what it says of itself can change. Throws `access_not_enabled`, `not_found`. */
export async function changeList(
  context: Context,
  call: Call,
  { id, ...input }: ListChange & { readonly id: string },
): Promise<WriteResult<ListView>> {
  return requireView(
    await change(context, call, {
      operation: `lists.change ${id}`,
      input,
      id,
      decide: (state) => decideListDescription(state, id, input),
    }),
  )
}

/** Throws `access_not_enabled`, `not_found`, `list_in_use` while a rule asks it. */
export function deleteList(
  context: Context,
  call: Call,
  id: string,
): Promise<WriteResult<ListView | undefined>> {
  return change(context, call, {
    operation: `lists.remove ${id}`,
    input: null,
    id,
    decide: (state) => decideListDeletion(state, id),
  })
}

/** What is asked for of one list. */
interface Change {
  readonly operation: string
  readonly input: unknown
  /** Of the list; made of the command where there is none yet. */
  readonly id?: string
  readonly decide: (state: RulebookState, id: string) => readonly RulebookEvent[]
}

/** They are in the account's rulebook, so that rules and lists are decided upon together. */
async function change(
  context: Context,
  call: Call,
  { operation, input, id: given, decide }: Change,
): Promise<WriteResult<ListView | undefined>> {
  await requireAuthoring(context, call)
  const account = call.principal.accountId
  const eventContext = buildEventContext(context, call, { account, operation, input })
  const idBy = (command: string): string => given ?? deriveId('lst', command, 'lists')
  return executeAndPresent(context, context.rulebooks, {
    stream: rulebookStream(account),
    context: eventContext,
    decide: (state) => decide(state, idBy(eventContext.command)),
    present: (state, command) => findListView(state, idBy(command)),
  })
}

function requireView({
  value,
  ...written
}: WriteResult<ListView | undefined>): WriteResult<ListView> {
  return { ...written, value: requireExisting(value) }
}
