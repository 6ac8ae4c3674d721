/** Declares `vigil rules`, `recipes`, `flows` and `managed`: reads, writes and versions. */

import { stringify } from 'yaml'
import type { Body } from '../connecting/client.ts'
import type { CommandRow, Options } from '../connecting/commandRow.ts'
import type { Caller } from '../connecting/connection.ts'
import type { Invocation } from '../connecting/invocation.ts'
import { resourceArgument } from '../connecting/nameLookup.ts'
import { usageError } from '../terminal/cliError.ts'
import { warningsOf } from '../terminal/errorText.ts'
import { readInputFile } from '../terminal/input.ts'
import { printableLines } from '../terminal/screen.ts'
import type { CellColumn } from '../terminal/table.ts'
import { kindFacts, type ResourceKind } from './folder/resourceFile.ts'

const wide = { widthMax: 72, optional: true } as const
const name: CellColumn<Body> = {
  title: 'NAME',
  cell: textOf('name'),
  widthMax: 48,
  narrow: 'wrap',
  optional: true,
}
const description: CellColumn<Body> = {
  title: 'DESCRIPTION',
  cell: textOf('description'),
  ...wide,
  narrow: 'wrap',
}
const status: CellColumn<Body> = { title: 'STATUS', cell: 'status', optional: true }

const columns: Readonly<Record<ResourceKind, readonly CellColumn<Body>[]>> = {
  rules: [
    { title: 'ID', cell: 'id' },
    name,
    { title: 'EXPRESSION', cell: textOf('expression'), ...wide, narrow: 'cut' },
    description,
  ],
  recipes: [
    { title: 'ID', cell: 'id' },
    status,
    { title: 'THRESHOLD', cell: 'threshold', align: 'right', optional: true },
    { title: 'RULES', cell: countOf('rules'), align: 'right', optional: true },
    name,
    description,
  ],
  flows: [
    { title: 'ID', cell: 'id' },
    { title: 'RECIPES', cell: countOf('recipes'), align: 'right' },
    name,
  ],
}

/** One collection of the API. */
interface Collection {
  readonly kind: ResourceKind
  readonly noun: string
  readonly path: `/${string}`
  readonly caller: Caller
  /** The words in front of its commands. */
  readonly words: string
}

const summaries: Readonly<Record<ResourceKind, string>> = {
  rules: 'Read, write and try single rules.',
  recipes: 'Read, write and compare single recipes.',
  flows: 'Read, write and try single flows.',
}

/** The commands on the account's rules, recipes or flows, and `more` after them. */
export function resourceCommands(kind: ResourceKind, more: readonly CommandRow[]): CommandRow {
  const { noun, path } = kindFacts[kind]
  const words = `vigil ${kind}`
  const offered: CommandRow = {
    usage: 'managed',
    summary: `List the managed ${kind} that your recipes may use.`,
    request: `GET ${path}/managed`,
    list: { name: kind, columns: columns[kind], none: `No ${kind}.` },
  }
  return {
    usage: kind,
    summary: summaries[kind],
    commands: [
      ...commandsOf({ kind, path, noun, words, caller: 'account' }),
      ...(kind === 'flows' ? [] : [offered]),
      ...more,
    ],
  }
}

export const managedCommands: CommandRow = {
  usage: 'managed',
  summary: 'Read and write managed rules and recipes (operator).',
  commands: (['rules', 'recipes'] as const).map((kind) => ({
    usage: kind,
    summary: `Read and write managed ${kind}.`,
    commands: commandsOf({
      kind,
      noun: `managed ${kindFacts[kind].noun}`,
      path: `/v2/operator/managed/${kind}`,
      caller: 'operator',
      words: `vigil managed ${kind}`,
    }),
  })),
}

function commandsOf(collection: Collection): readonly CommandRow[] {
  return [...readCommands(collection), ...writeCommands(collection), ...versionCommands(collection)]
}

/** The argument that names one resource, its declaration, and the id in examples. */
function argumentOf({ kind, path }: Collection) {
  const { noun, prefix } = kindFacts[kind]
  const one = `<${noun}>` as const
  return {
    one,
    declared: { [one]: resourceArgument({ noun, path }) },
    sample: `${prefix}_01jc0t6fwwfgfsq1md24mhyztj`,
  }
}

function readCommands(collection: Collection): readonly CommandRow[] {
  const { kind, noun, path, caller, words } = collection
  const { one, declared, sample } = argumentOf(collection)
  return [
    {
      usage: 'list',
      summary: `List all ${noun}s.`,
      caller,
      request: `GET ${path}`,
      list: { name: kind, columns: columns[kind], none: `No ${kind}.` },
    },
    {
      usage: 'get',
      arguments: declared,
      summary: `Print a ${noun} as YAML, or as JSON with --json.`,
      example: `${words} get ${sample}`,
      caller,
      request: `GET ${path}/${one}`,
      lines: yamlLines,
    },
  ]
}

function writeCommands(collection: Collection): readonly CommandRow[] {
  const { noun, path, caller, words } = collection
  const { one, declared, sample } = argumentOf(collection)
  const { options, example } = inputOf(collection)
  const input = (invocation: Invocation, given: InputOptions) =>
    readInput(invocation, collection, given)
  return [
    {
      usage: 'create',
      summary: `Create a ${noun}.`,
      example: `${words} create ${example}`,
      options,
      caller,
      request: `POST ${path}`,
      input,
      lines: savedLines,
    },
    {
      usage: 'put',
      arguments: declared,
      summary: `Replace a ${noun} by a new version.`,
      example: `${words} put ${sample} ${example}`,
      options,
      caller,
      request: `PUT ${path}/${one}`,
      input,
      lines: savedLines,
    },
    {
      usage: 'delete',
      arguments: declared,
      summary: `Delete a ${noun}; already deleted is not an error.`,
      example: `${words} delete ${sample}`,
      caller,
      request: `DELETE ${path}/${one}`,
      done: { sentence: `Deleted ${one}.`, json: { id: one, deleted: true } },
    },
  ]
}

function versionCommands(collection: Collection): readonly CommandRow[] {
  const { noun, path, caller, words } = collection
  const { one, declared, sample } = argumentOf(collection)
  return [
    {
      usage: 'versions',
      arguments: declared,
      summary: `List the changes of a ${noun} with their versions, newest first; of a deleted one by its id.`,
      example: `${words} versions ${sample}`,
      caller,
      request: `GET ${path}/${one}/versions`,
      list: { name: 'versions', columns: versionColumns },
    },
    {
      usage: 'restore',
      arguments: { ...declared, '<version>': 'the id of the version' },
      summary: `Make an earlier version of a ${noun} current again.`,
      example: `${words} restore ${sample} ver_01jc0t6fwwfgfsq1md24mhyztj`,
      caller,
      request: `POST ${path}/${one}/versions/<version>/restore`,
      lines: savedLines,
    },
  ]
}

/** The columns of changes, newest first; a star marks the current version. */
function versionColumns(changes: readonly Body[]): readonly CellColumn<Body>[] {
  const current = changes.find(
    (one) =>
      one['current'] === true && (one['change'] === 'created' || one['change'] === 'restored'),
  )
  return [
    { title: '', cell: (change) => (change === current ? '*' : '') },
    { title: 'CHANGED', cell: 'changed_at' },
    { title: 'BY', cell: 'changed_by' },
    { title: 'CHANGE', cell: ({ change }) => String(change).replace('_', ' ') },
    status,
    { title: 'VERSION', cell: 'version_id', optional: true },
    name,
    description,
  ]
}

/** A text on one line. */
function textOf(field: string) {
  return (item: Body): string => String(item[field] ?? '').replace(/\s+/g, ' ')
}

function countOf(field: string) {
  return ({ [field]: list }: Body): string => (Array.isArray(list) ? String(list.length) : '')
}

function yamlLines(body: Body): readonly string[] {
  return [printableLines(stringify(body, { lineWidth: 0 }).trimEnd())]
}

/** The saved resource in a form that can be saved again; its warnings are printed on stderr. */
function savedLines(body: Body, { warn }: Invocation): readonly string[] {
  const { warnings: _, ...saved } = body
  warn(warningsOf(body))
  return yamlLines(saved)
}

interface InputOptions {
  readonly file?: string
  readonly name?: string
  readonly expression?: string
}

/** Whether two options are enough to create one. */
function hasShortForm({ kind, caller }: Collection): boolean {
  return kind === 'rules' && caller === 'account'
}

function inputOf(collection: Collection): { readonly options: Options; readonly example: string } {
  const short = {
    '--name <name>': 'its name, in place of --file',
    '--expression <text>': 'its condition, in place of --file',
  }
  return {
    example:
      collection.kind === 'rules' ? '--name "Large cart" --expression \'…\'' : '--file new.yaml',
    options: {
      '--file <file>': 'YAML or JSON as the API takes it; - is standard input',
      ...(hasShortForm(collection) && short),
    },
  }
}

/** Reads what to send: the file without the fields that the service sets, or the options of a rule. */
async function readInput(
  { context }: Invocation,
  collection: Collection,
  { file, name, expression }: InputOptions,
): Promise<Body> {
  if (file !== undefined && name === undefined && expression === undefined) {
    const { id, version_id, warnings, ...body }: Body = { ...(await readInputFile(context, file)) }
    return body
  }
  if (file === undefined && name !== undefined && expression !== undefined) {
    return { name, expression }
  }
  throw usageError(
    hasShortForm(collection)
      ? 'Give the rule by --file, or by --name and --expression.'
      : `Give the ${collection.noun} by --file.`,
  )
}
