/** Adds `vigil lists`: manages named lists and their entries. */

import { type Command, Option } from 'commander'
import type { ListView } from '../../commands/lists/namedLists.ts'
import { listKinds } from '../../domain/lists/lists.ts'
import type { EntryView } from '../../queries/lists/entries.ts'
import type { EntryChange } from '../../queries/lists/entryHistory.ts'
import { type Invocation, type Run, serve } from '../connecting/invocation.ts'
import { listAll } from '../connecting/search.ts'
import { describe } from '../terminal/describe.ts'
import { printable, type Screen } from '../terminal/screen.ts'
import { type Column, fieldLines, table } from '../terminal/table.ts'
import { listPath, listsPath } from './listId.ts'
import { addTransferCommands } from './transferCommands.ts'

const listColumns: readonly Column[] = [
  { title: 'ID' },
  { title: 'NAME' },
  { title: 'KIND' },
  { title: 'DESCRIPTION', widthMax: 72, narrow: 'wrap' },
]

const entryColumns: readonly Column[] = [
  { title: 'VALUE' },
  { title: 'ADDED' },
  { title: 'ENDS' },
  { title: 'REASON', widthMax: 72, narrow: 'wrap' },
]

const changeColumns: readonly Column[] = [
  { title: 'AT' },
  { title: 'CHANGE' },
  { title: 'BY' },
  { title: 'ENDS' },
  { title: 'REASON', widthMax: 72, narrow: 'wrap' },
]

const taken = { '<list>': 'its id or name' }
const takenWithValue = { ...taken, '<value>': 'of the kind of the list' }

/** Adds `lists`. */
export function addListCommands(program: Command, run: Run): void {
  const lists = describe(program, {
    usage: 'lists',
    summary: 'Read and write the lists that rules ask.',
    example: 'vigil lists list',
  })
  addCommandsOfLists(lists, run)
  addCommandsOfEntries(lists, run)
  addTransferCommands(lists, run)
}

function addCommandsOfLists(lists: Command, run: Run): void {
  describe(lists, {
    usage: 'list',
    summary: 'List all lists.',
    example: 'vigil lists list',
  }).action(serve(run, listLists))
  describe(lists, {
    usage: 'create <name>',
    summary: 'Create a list; its name and kind stay what they are.',
    example: 'vigil lists create vip --kind email_address',
  })
    .addOption(
      new Option('--kind <kind>', 'what stands on it').choices(listKinds).makeOptionMandatory(),
    )
    .option('--description <text>', 'what it is for')
    .action(serve<CreateOptions>(run, createList))
  describe(lists, {
    usage: 'describe',
    takes: { ...taken, '[description]': 'what it is for; nothing unless given' },
    summary: 'Describe a list otherwise.',
    example: 'vigil lists describe vip "Whom we know"',
  }).action(serve(run, describeList))
  describe(lists, {
    usage: 'delete',
    takes: taken,
    summary: 'Delete a list that no rule asks; nobody reads its entries any more.',
    example: 'vigil lists delete vip',
  }).action(serve(run, deleteList))
}

function addCommandsOfEntries(lists: Command, run: Run): void {
  describe(lists, {
    usage: 'show',
    takes: taken,
    summary: 'List what stands on a list.',
    example: 'vigil lists show vip',
  }).action(serve(run, showList))
  describe(lists, {
    usage: 'add',
    takes: takenWithValue,
    summary: 'Put a value on a list; one that stands there is no error.',
    example: 'vigil lists add vip ann@example.com --reason "Board member"',
  })
    .option('--reason <text>', 'why')
    .option('--expires-at <time>', 'until when it counts, in ISO 8601')
    .action(serve<AddOptions>(run, addEntry))
  describe(lists, {
    usage: 'remove',
    takes: takenWithValue,
    summary: 'Take a value off a list; one that does not stand there is no error.',
    example: 'vigil lists remove vip ann@example.com',
  })
    .option('--reason <text>', 'why')
    .action(serve<AddOptions>(run, removeEntry))
  describe(lists, {
    usage: 'history',
    takes: takenWithValue,
    summary: 'Show who did what with a value on a list, when and why.',
    example: 'vigil lists history vip ann@example.com',
  }).action(serve(run, showHistory))
}

async function listLists(invocation: Invocation): Promise<undefined> {
  const client = await invocation.client()
  const lists = await listAll<ListView>(client, { path: listsPath, name: 'lists' })
  invocation.print({ lists }, () => listTable(lists, invocation.screen))
}

interface CreateOptions {
  readonly kind: string
  readonly description?: string
}

async function createList(
  invocation: Invocation,
  { kind, description }: CreateOptions,
  name = '',
): Promise<undefined> {
  const client = await invocation.client()
  const { body } = await client('POST', listsPath, { body: { name, kind, description } })
  invocation.print(body, () => fieldLines(body))
}

async function describeList(
  invocation: Invocation,
  _: object,
  ...[list = '', description]: readonly string[]
): Promise<undefined> {
  const client = await invocation.client()
  const { body } = await client('PUT', await listPath(client, list), { body: { description } })
  invocation.print(body, () => fieldLines(body))
}

async function deleteList(invocation: Invocation, _: object, list = ''): Promise<undefined> {
  const client = await invocation.client()
  await client('DELETE', await listPath(client, list))
  invocation.print({}, () => [printable(`Deleted ${list}.`)])
}

async function showList(invocation: Invocation, _: object, list = ''): Promise<undefined> {
  const client = await invocation.client()
  const path = `${await listPath(client, list)}/entries`
  const entries = await listAll<EntryView>(client, { path, name: 'entries' })
  invocation.print({ entries }, () => entryTable(entries, invocation.screen))
}

interface AddOptions {
  readonly reason?: string
  readonly expiresAt?: string
}

async function addEntry(
  invocation: Invocation,
  { reason, expiresAt }: AddOptions,
  ...[list = '', value = '']: readonly string[]
): Promise<undefined> {
  const client = await invocation.client()
  const path = `${await listPath(client, list)}/entries`
  const { body } = await client('POST', path, { body: { value, reason, expires_at: expiresAt } })
  invocation.print(body, () => fieldLines(body))
}

async function removeEntry(
  invocation: Invocation,
  { reason }: AddOptions,
  ...[list = '', value = '']: readonly string[]
): Promise<undefined> {
  const client = await invocation.client()
  const path = `${await listPath(client, list)}/entries`
  const { body } = await client('DELETE', path, { body: { value, reason } })
  invocation.print(body, () => fieldLines(body))
}

async function showHistory(
  invocation: Invocation,
  _: object,
  ...[list = '', value = '']: readonly string[]
): Promise<undefined> {
  const client = await invocation.client()
  const path = `${await listPath(client, list)}/entries/history`
  const changes = await listAll<EntryChange>(client, { path, name: 'changes', query: { value } })
  invocation.print({ changes }, () => changeTable(changes, invocation.screen))
}

/** A line for each list. */
function listTable(lists: readonly ListView[], screen: Screen): readonly string[] {
  if (lists.length === 0) return ['No lists.']
  const rows = lists.map(({ id, name, kind, description = '' }) => [id, name, kind, description])
  return table(listColumns, rows, screen)
}

/** A line for each entry. */
function entryTable(entries: readonly EntryView[], screen: Screen): readonly string[] {
  if (entries.length === 0) return ['No entries.']
  const rows = entries.map(({ value, created_at, expires_at = '', reason = '' }) => [
    value,
    created_at,
    expires_at,
    reason,
  ])
  return table(entryColumns, rows, screen)
}

/** A line for each change of an entry. */
function changeTable(changes: readonly EntryChange[], screen: Screen): readonly string[] {
  if (changes.length === 0) return ['No changes.']
  const rows = changes.map(({ at, change, by, expires_at = '', reason = '' }) => [
    at,
    change,
    by,
    expires_at,
    reason,
  ])
  return table(changeColumns, rows, screen)
}
