/** Declares `vigil lists`: manages named lists and their entries. */

import type { ListView } from '../../commands/lists/namedLists.ts'
import { listKinds } from '../../domain/lists/lists.ts'
import type { EntryView } from '../../queries/lists/entries.ts'
import type { EntryChange } from '../../queries/lists/entryHistory.ts'
import type { CommandDefinition } from '../connecting/commandDefinition.ts'
import { assertStdinUsedOnce } from '../connecting/invocation.ts'
import { idOrNameArgument, namedResources } from '../connecting/resourceId.ts'
import { fileFormats, integerOption } from '../terminal/optionValues.ts'
import type { ItemColumns } from '../terminal/table.ts'
import { exportFile, importFile } from './entryFiles.ts'

const { path } = namedResources.lists
const wrapped = { widthMax: 72, narrow: 'wrap' } as const

const listColumns: ItemColumns<ListView> = {
  ID: 'id',
  NAME: 'name',
  KIND: 'kind',
  DESCRIPTION: { cell: 'description', ...wrapped },
}
const entryColumns: ItemColumns<EntryView> = {
  VALUE: 'value',
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

const list = idOrNameArgument(namedResources.lists)
const value = 'a value of the kind of the list'
const file = '- for standard input or output, the default'
const reason = { '--reason <text>': 'why' } as const
const format = {
  '--format <format>': {
    description: 'the format of the file; by default csv for a name that ends in .csv, else ndjson',
    choices: fileFormats,
  },
} as const

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
      arguments: { '<list>': list, '[description]': 'its purpose; none by default' },
      summary: "Change a list's description.",
      example: 'vigil lists describe vip "Whom we know"',
      request: `PUT ${path}/<list>`,
      body: { description: '<description>' },
    },
    delete: {
      arguments: { '<list>': list },
      summary: 'Delete a list that no rule uses, and its entries with it.',
      request: `DELETE ${path}/<list>`,
      confirmation: { sentence: 'Deleted <list>.', json: { id: '<list>', deleted: true } },
    },
    show: {
      arguments: { '<list>': list },
      summary: "List a list's entries.",
      request: `GET ${path}/<list>/entries`,
      list: { name: 'entries', columns: entryColumns },
    },
    add: {
      arguments: { '<list>': list, '<value>': value },
      summary: 'Add a value to a list; already present is not an error.',
      example: '--reason "Board member"',
      options: { ...reason, '--expires-at <time>': 'when the entry ends, in ISO 8601' },
      request: `POST ${path}/<list>/entries`,
      body: { value: '<value>', reason: '--reason', expires_at: '--expires-at' },
    },
    remove: {
      arguments: { '<list>': list, '<value>': value },
      summary: 'Remove a value from a list; not present is not an error.',
      options: reason,
      request: `DELETE ${path}/<list>/entries`,
      body: { value: '<value>', reason: '--reason' },
    },
    history: {
      arguments: { '<list>': list, '<value>': value },
      summary: 'List the changes of a value on a list: who, when and why.',
      request: `GET ${path}/<list>/entries/history`,
      query: { value: '<value>' },
      list: { name: 'changes', columns: changeColumns },
    },
    import: {
      arguments: { '<list>': list, '[file]': file },
      summary: 'Add all values of a file to a list; to import it again is not an error.',
      options: {
        ...format,
        '--after-line <number>': integerOption('skip the lines up to this one', 0),
      },
      check: (invocation) => {
        if ((invocation.given('<file>') ?? '-') === '-') assertStdinUsedOnce(invocation, 'lines')
      },
      run: importFile,
    },
    export: {
      arguments: { '<list>': list, '[file]': file },
      summary: "Write a list's entries to a file that can be imported.",
      options: format,
      run: exportFile,
    },
  },
}
