/** Declares `vigil lists` and `vigil phone-lists`: manage lists and their entries. */

import { listKinds, phoneLists } from '../../domain/lists/lists.ts'
import type { EntryView } from '../../queries/lists/entries.ts'
import type { EntryChange } from '../../queries/lists/entryHistory.ts'
import type { ListView } from '../../state/rulebook/namedListDecisions.ts'
import type { CommandDefinition, Commands } from '../connecting/commandDefinition.ts'
import { assertStdinUsedOnce } from '../connecting/invocation.ts'
import { idOrNameArgument, namedResources } from '../connecting/resourceId.ts'
import { formatOption, integerOption, parseChoice, parseIsoTime } from '../terminal/optionValues.ts'
import type { ItemColumns } from '../terminal/table.ts'
import { type EntryNames, exportFile, importFile } from './entryFiles.ts'

const { path } = namedResources.lists
const wrapped = { widthMax: 72, narrow: 'wrap' } as const

const listColumns: ItemColumns<ListView> = {
  ID: 'id',
  NAME: 'name',
  KIND: 'kind',
  DESCRIPTION: { cell: 'description', ...wrapped },
}
const entryColumns: ItemColumns<EntryView> = {
  ADDED: 'created_at',
  ENDS: 'expires_at',
  REASON: { cell: 'reason', ...wrapped },
}
const changeColumns: ItemColumns<EntryChange> = {
  AT: 'at',
  CHANGE: 'change',
  BY: 'by',
  ENDS: 'expires_at',
  REASON: { cell: 'reason', ...wrapped },
}

const namedList = idOrNameArgument(namedResources.lists)
const file = '- for standard input or output, the default'
const reason = { '--reason <text>': 'why' } as const
const expiry = {
  description: 'when the entry ends: ISO 8601, in UTC unless with a zone',
  parse: parseIsoTime,
}
export const listCommands: CommandDefinition = {
  summary: 'Read and write the lists that rules use.',
  commands: {
    list: {
      summary: 'List all lists.',
      request: `GET ${path}`,
      list: { name: 'lists', columns: listColumns },
    },
    'create <name>': {
      summary: 'Create a list; its name and kind never change.',
      example: 'vigil lists create vip --kind email_address',
      options: {
        '--kind <kind>': {
          description: 'the kind of its entries',
          choices: listKinds,
          required: true,
        },
        '--description <text>': 'its purpose',
      },
      request: `POST ${path}`,
      body: { name: '<name>', kind: '--kind', description: '--description' },
    },
    describe: {
      arguments: { '<list>': namedList, '[description]': 'its purpose; none by default' },
      summary: "Change a list's description.",
      example: 'vigil lists describe vip "Whom we know"',
      request: `PUT ${path}/<list>`,
      body: { description: '<description>' },
    },
    delete: {
      arguments: { '<list>': namedList },
      summary: 'Delete a list that no rule uses, and its entries with it.',
      request: `DELETE ${path}/<list>`,
      confirmation: { sentence: 'Deleted <list>.', json: { id: '<list>', deleted: true } },
    },
    ...entryCommands({
      path: `${path}/<list>/entries`,
      list: '<list>',
      value: '<value>',
      field: 'value',
      plural: 'entries',
      arguments: { '<list>': namedList, '<value>': 'a value of the kind of the list' },
    }),
  },
}

export const phoneListCommands: CommandDefinition = {
  summary: 'Read and write the phone lists, which allow and block numbers.',
  commands: entryCommands({
    path: '/v2/verification/management/phone-numbers/<phone-list>',
    list: '<phone-list>',
    value: '<number>',
    field: 'phone_number',
    plural: 'phone_numbers',
    arguments: {
      '<phone-list>': { description: 'allow or block', parse: parseChoice(phoneLists) },
      '<number>': 'a phone number in E.164 form',
    },
  }),
}

interface EntryArguments extends EntryNames {
  readonly value: `<${string}>`
  /** The arguments of a list and of a value. */
  readonly arguments: NonNullable<CommandDefinition['arguments']>
}

function entryCommands({ arguments: both, value, ...names }: EntryArguments): Commands {
  const { path, list, field, plural } = names
  const ofList = { [list]: both[list] ?? '' }
  return {
    show: {
      arguments: ofList,
      summary: "List a list's entries.",
      request: `GET ${path}`,
      list: { name: plural, columns: { VALUE: { cell: field }, ...entryColumns } },
    },
    add: {
      arguments: both,
      summary: 'Add a value to a list; already present is not an error.',
      example: '--reason "Board member"',
      options: { ...reason, '--expires-at <time>': expiry },
      request: `POST ${path}`,
      body: { [field]: value, reason: '--reason', expires_at: '--expires-at' },
    },
    remove: {
      arguments: both,
      summary: 'Remove a value from a list; not present is not an error.',
      options: reason,
      request: `DELETE ${path}`,
      body: { [field]: value, reason: '--reason' },
    },
    history: {
      arguments: both,
      summary: 'List the changes of a value on a list: who, when and why.',
      request: `GET ${path}/history`,
      query: { [field]: value },
      list: { name: 'changes', columns: changeColumns },
    },
    import: {
      arguments: { ...ofList, '[file]': file },
      summary: 'Add all values of a file to a list; to import it again is not an error.',
      options: {
        ...formatOption,
        '--after-line <number>': integerOption('skip the lines up to this one', 0),
      },
      check: (invocation) => {
        if ((invocation.given('<file>') ?? '-') === '-') assertStdinUsedOnce(invocation, 'lines')
      },
      run: (invocation) => importFile(invocation, names),
    },
    export: {
      arguments: { ...ofList, '[file]': file },
      summary: "Write a list's entries to a file that can be imported.",
      options: formatOption,
      run: (invocation) => exportFile(invocation, names),
    },
  }
}
