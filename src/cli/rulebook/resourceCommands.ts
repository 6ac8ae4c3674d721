/** Declares `vigil rules`, `recipes`, `flows`, `managed`: list, get, create, replace, versions. */

import { stringify } from 'yaml'
import { idPrefixes } from '../../domain/ids.ts'
import type { JsonObject } from '../connecting/client.ts'
import type {
  CommandDefinition,
  ListOutput,
  OptionDefinitions,
  ReadParameter,
} from '../connecting/commandDefinition.ts'
import type { Invocation } from '../connecting/invocation.ts'
import { namedResources } from '../connecting/namedResources.ts'
import { idOrNameArgument } from '../connecting/resourceId.ts'
import { usageError } from '../terminal/cliError.ts'
import { readWarnings } from '../terminal/errorText.ts'
import { readInputObject } from '../terminal/readInput.ts'
import { escapeControlsInLines } from '../terminal/screen.ts'
import type { CellColumn } from '../terminal/table.ts'
import type { ResourceKind } from './folder/resourceFile.ts'

const wide = { widthMax: 72, optional: true } as const
const name: CellColumn<JsonObject> = {
  title: 'NAME',
  cell: textOf('name'),
  widthMax: 48,
  narrow: 'wrap',
  optional: true,
}
const description: CellColumn<JsonObject> = {
  title: 'DESCRIPTION',
  cell: textOf('description'),
  ...wide,
  narrow: 'wrap',
}
const status: CellColumn<JsonObject> = { title: 'STATUS', cell: 'status', optional: true }

const columns: Readonly<Record<ResourceKind, readonly CellColumn<JsonObject>[]>> = {
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

const fileOption: OptionDefinitions = {
  '--file <file>': 'YAML or JSON as the API takes it; - is standard input',
}
/** Enough to create a rule. */
const shortOptions: OptionDefinitions = {
  '--name <name>': 'its name, in place of --file',
  '--expression <text>': 'its condition, in place of --file',
}

const summaries: Readonly<Record<ResourceKind, string>> = {
  rules: 'Read, write and try single rules.',
  recipes: 'Read, write and compare single recipes.',
  flows: 'Read, write and try single flows.',
}

/** The commands on the account's rules, recipes or flows, and `more` after them. */
export function resourceCommands(
  kind: ResourceKind,
  more: readonly CommandDefinition[],
): CommandDefinition {
  const offered: CommandDefinition = {
    usage: 'managed',
    summary: `List the managed ${kind} that your recipes may use.`,
    request: `GET ${namedResources[kind].path}/managed`,
    list: listOf(kind),
  }
  return {
    usage: kind,
    summary: summaries[kind],
    commands: [
      ...commandsOf(kind, { isManaged: false }),
      ...(kind === 'flows' ? [] : [offered]),
      ...more,
    ],
  }
}

export const managedCommands: CommandDefinition = {
  usage: 'managed',
  summary: 'Read and write managed rules and recipes (operator).',
  caller: 'operator',
  commands: (['rules', 'recipes'] as const).map((kind) => ({
    usage: kind,
    summary: `Read and write managed ${kind}.`,
    commands: commandsOf(kind, { isManaged: true }),
  })),
}

function listOf(kind: ResourceKind): ListOutput {
  return { name: kind, columns: columns[kind], emptyListMessage: `No ${kind}.` }
}

interface Owner {
  readonly isManaged: boolean
}

/** The commands on a collection of the account, or on a managed one of the operator. */
function commandsOf(kind: ResourceKind, { isManaged }: Owner): readonly CommandDefinition[] {
  const { noun } = namedResources[kind]
  const one = `<${noun}>` as const
  const path = isManaged ? (`/v2/operator/managed/${kind}` as const) : namedResources[kind].path
  const named = { [one]: idOrNameArgument({ noun, path }) }
  const called = isManaged ? `managed ${noun}` : noun
  const words = isManaged ? `vigil managed ${kind}` : `vigil ${kind}`
  const sample = `${idPrefixes[noun]}_01jc0t6fwwfgfsq1md24mhyztj`
  return [
    {
      usage: 'list',
      summary: `List all ${called}s.`,
      request: `GET ${path}`,
      list: listOf(kind),
    },
    {
      usage: 'get',
      arguments: named,
      summary: `Print a ${called} as YAML, or as JSON with --json.`,
      example: `${words} get ${sample}`,
      request: `GET ${path}/${one}`,
      lines: yamlLines,
    },
    ...writeCommands(kind, { isManaged, named, path, called, words, one, sample }),
    {
      usage: 'versions',
      arguments: named,
      summary: `List the changes of a ${called} with their versions, newest first; of a deleted one by its id.`,
      example: `${words} versions ${sample}`,
      request: `GET ${path}/${one}/versions`,
      list: { name: 'versions', columns: versionColumns },
    },
    {
      usage: 'restore',
      arguments: { ...named, '<version>': 'the id of the version' },
      summary: `Make an earlier version of a ${called} current again.`,
      example: `${words} restore ${sample} ver_01jc0t6fwwfgfsq1md24mhyztj`,
      request: `POST ${path}/${one}/versions/<version>/restore`,
      lines: savedLines,
    },
  ]
}

interface Collection extends Owner {
  readonly path: `/${string}`
  readonly called: string
  /** The words in front of its commands. */
  readonly words: string
  /** The argument that names one resource, its declaration, and the id in examples. */
  readonly one: `<${string}>`
  readonly named: NonNullable<CommandDefinition['arguments']>
  readonly sample: string
}

function writeCommands(
  kind: ResourceKind,
  { isManaged, path, called, words, one, named, sample }: Collection,
): readonly CommandDefinition[] {
  const hasShortForm = kind === 'rules' && !isManaged
  const example = kind === 'rules' ? '--name "Large cart" --expression \'…\'' : '--file new.yaml'
  const otherwise = hasShortForm
    ? 'Give the rule by --file, or by --name and --expression.'
    : `Give the ${called} by --file.`
  const saved = {
    options: { ...fileOption, ...(hasShortForm && shortOptions) },
    input: (invocation: Invocation, given: ReadParameter) =>
      readInput(invocation, given, otherwise),
    lines: savedLines,
  }
  return [
    {
      usage: 'create',
      summary: `Create a ${called}.`,
      example: `${words} create ${example}`,
      request: `POST ${path}`,
      ...saved,
    },
    {
      usage: 'put',
      arguments: named,
      summary: `Replace a ${called} by a new version.`,
      example: `${words} put ${sample} ${example}`,
      request: `PUT ${path}/${one}`,
      ...saved,
    },
    {
      usage: 'delete',
      arguments: named,
      summary: `Delete a ${called}; already deleted is not an error.`,
      example: `${words} delete ${sample}`,
      request: `DELETE ${path}/${one}`,
      confirmation: { sentence: `Deleted ${one}.`, json: { id: one, deleted: true } },
    },
  ]
}

/** The columns of changes, newest first; a star marks the current version. */
function versionColumns(changes: readonly JsonObject[]): readonly CellColumn<JsonObject>[] {
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
  return (item: JsonObject): string => String(item[field] ?? '').replace(/\s+/g, ' ')
}

function countOf(field: string) {
  return ({ [field]: list }: JsonObject): string => (Array.isArray(list) ? String(list.length) : '')
}

function yamlLines(body: JsonObject): readonly string[] {
  return [escapeControlsInLines(stringify(body, { lineWidth: 0 }).trimEnd())]
}

/** The saved resource in a form that can be saved again; its warnings are printed on stderr. */
function savedLines(body: JsonObject, { warn }: Invocation): readonly string[] {
  const { warnings: _, ...saved } = body
  warn(readWarnings(body))
  return yamlLines(saved)
}

/** Reads what to send: the file without the fields that the service sets, or the options of a rule. */
async function readInput(
  { context }: Invocation,
  given: ReadParameter,
  otherwise: string,
): Promise<object> {
  const [file, name, expression] = [given('--file'), given('--name'), given('--expression')]
  if (file !== undefined && name === undefined && expression === undefined) {
    const { id, version_id, warnings, ...body } = await readInputObject(context, file)
    return body
  }
  if (file === undefined && name !== undefined && expression !== undefined) {
    return { name, expression }
  }
  throw usageError(otherwise)
}
