/** Declares `vigil rules`, `recipes`, `flows`, `managed`: list, get, create, replace, versions. */

import { Document, visit } from 'yaml'
import type { Client, JsonObject } from '../connecting/client.ts'
import type { CommandDefinition, Commands } from '../connecting/commandDefinition.ts'
import type { Invocation } from '../connecting/invocation.ts'
import { readList } from '../connecting/pagination.ts'
import { idOrNameArgument, namedResources } from '../connecting/resourceId.ts'
import { usageError } from '../terminal/cliError.ts'
import { readWarnings } from '../terminal/errorText.ts'
import { readInputObject } from '../terminal/readInput.ts'
import { escapeControlsInLines } from '../terminal/screen.ts'
import type { ItemColumns } from '../terminal/table.ts'
import type { ResourceKind } from './folder/resourceFile.ts'

const name = { cell: readTextField('name'), widthMax: 48, narrow: 'wrap', optional: true } as const
const wide = { widthMax: 72, optional: true } as const
const description = { cell: readTextField('description'), ...wide, narrow: 'wrap' } as const
const status = { cell: 'status', optional: true } as const

const columns: Readonly<Record<ResourceKind, ItemColumns<JsonObject>>> = {
  rules: {
    ID: 'id',
    NAME: name,
    EXPRESSION: { cell: readTextField('expression'), ...wide, narrow: 'cut' },
    DESCRIPTION: description,
  },
  recipes: {
    ID: 'id',
    STATUS: status,
    THRESHOLD: { cell: 'threshold', align: 'right', optional: true },
    RULES: { cell: countField('rules'), align: 'right', optional: true },
    NAME: name,
    DESCRIPTION: description,
  },
  flows: {
    ID: 'id',
    RECIPES: { cell: countField('recipes'), align: 'right' },
    NAME: name,
  },
}

const summaries: Readonly<Record<ResourceKind, string>> = {
  rules: 'Read, write and try single rules.',
  recipes: 'Read, write and compare single recipes.',
  flows: 'Read, write and try single flows.',
}

/** The commands on the account's rules, recipes or flows, and `more` after them. */
export function resourceCommands(kind: ResourceKind, more: Commands): CommandDefinition {
  const managed: CommandDefinition = {
    summary: `List the managed ${kind} that your recipes may use.`,
    request: `GET ${namedResources[kind].path}/managed`,
    list: { name: kind, columns: columns[kind] },
  }
  return {
    summary: summaries[kind],
    commands: {
      ...collectionCommands(describeCollection(kind, false)),
      ...(kind !== 'flows' && { managed }),
      ...more,
    },
  }
}

export const managedCommands: CommandDefinition = {
  summary: 'Read and write managed rules and recipes (operator).',
  caller: 'operator',
  commands: Object.fromEntries(
    (['rules', 'recipes'] as const).map((kind) => {
      const commands = collectionCommands(describeCollection(kind, true))
      return [kind, { summary: `Read and write managed ${kind}.`, commands }]
    }),
  ),
}

/** How the commands on a collection of the account, or on a managed one of the operator, speak of it. */
function describeCollection(kind: ResourceKind, isManaged: boolean) {
  const { noun } = namedResources[kind]
  const one = `<${noun}>` as const
  const path = isManaged ? (`/v2/operator/managed/${kind}` as const) : namedResources[kind].path
  return {
    kind,
    path,
    called: isManaged ? `managed ${noun}` : noun,
    /** The argument that names one resource, and its declaration. */
    one,
    named: { [one]: idOrNameArgument({ noun, path }) },
    /** Whether one can be written without a file. */
    hasShortForm: kind === 'rules' && !isManaged,
  }
}

type Collection = ReturnType<typeof describeCollection>

function collectionCommands(collection: Collection): Commands {
  const { kind, path, called, one, named } = collection
  return {
    list: {
      summary: `List all ${called}s.`,
      request: `GET ${path}`,
      list: { name: kind, columns: columns[kind] },
    },
    get: {
      arguments: named,
      summary: `Print a ${called} as YAML, or as JSON with --json.`,
      run: (invocation) => printResource(invocation, collection),
    },
    ...writeCommands(collection),
    versions: {
      arguments: named,
      summary: `List the changes of a ${called} with their versions, newest first; of a deleted one by its id.`,
      request: `GET ${path}/${one}/versions`,
      list: { name: 'versions', columns: versionColumns },
    },
    restore: {
      arguments: { ...named, '<version>': 'the id of the version' },
      summary: `Make an earlier version of a ${called} current again.`,
      request: `POST ${path}/${one}/versions/<version>/restore`,
      lines: formatSaved,
    },
  }
}

function writeCommands({ path, called, one, named, hasShortForm }: Collection): Commands {
  const shortForm = hasShortForm ? ', or by --name and --expression' : ''
  const saved: Omit<CommandDefinition, 'summary'> = {
    example: hasShortForm ? '--name "Large cart" --expression \'…\'' : '--file new.yaml',
    options: {
      '--file <file>': 'YAML or JSON as the API takes it; - is standard input',
      ...(hasShortForm && {
        '--name <name>': 'its name, in place of --file',
        '--expression <text>': 'its condition, in place of --file',
      }),
    },
    input: (invocation) => readInput(invocation, `Give the ${called} by --file${shortForm}.`),
    lines: formatSaved,
  }
  return {
    create: { summary: `Create a ${called}.`, request: `POST ${path}`, ...saved },
    put: {
      arguments: named,
      summary: `Replace a ${called} by a new version.`,
      request: `PUT ${path}/${one}`,
      ...saved,
    },
    delete: {
      arguments: named,
      summary: `Delete a ${called}; already deleted is not an error.`,
      request: `DELETE ${path}/${one}`,
      confirmation: { sentence: `Deleted ${one}.`, json: { id: one, deleted: true } },
    },
  }
}

/** The columns of changes, newest first; a star marks the current version. */
function versionColumns(changes: readonly JsonObject[]): ItemColumns<JsonObject> {
  const current = changes.find(
    (one) =>
      one['current'] === true && (one['change'] === 'created' || one['change'] === 'restored'),
  )
  return {
    '': (change) => (change === current ? '*' : ''),
    CHANGED: 'changed_at',
    BY: 'changed_by',
    CHANGE: ({ change }) => String(change).replace('_', ' '),
    STATUS: status,
    VERSION: { cell: 'version_id', optional: true },
    NAME: name,
    DESCRIPTION: description,
  }
}

/** A text on one line. */
function readTextField(field: string) {
  return (item: JsonObject): string => String(item[field] ?? '').replace(/\s+/g, ' ')
}

function countField(field: string) {
  return ({ [field]: list }: JsonObject): string => (Array.isArray(list) ? String(list.length) : '')
}

/** Prints the resource, as YAML with the name of each rule or recipe as a comment behind its id. */
async function printResource(
  { client, flags, given, print }: Invocation,
  { kind, path, one }: Collection,
): Promise<undefined> {
  const body = await client('GET', `${path}/${given(one)}`)
  const others = kind === 'flows' ? 'recipes' : 'rules'
  const isPlain = flags.json === true || kind === 'rules'
  const names = isPlain ? undefined : await readNames(client, path.replace(kind, others), others)
  print(body, () => formatYaml(body, names))
}

/** The names of rules or recipes by their ids; of managed ones, where customers know no name, their description. */
async function readNames(
  client: Client,
  path: string,
  name: string,
): Promise<ReadonlyMap<unknown, string>> {
  const paths = path.includes('/operator/') ? [path] : [path, `${path}/managed`]
  const lists = await Promise.all(paths.map((of) => readList(client, { path: of, name })))
  const [readName, readDescription] = [readTextField('name'), readTextField('description')]
  return new Map(
    lists.flatMap(({ items }) =>
      items.map((item) => [item['id'], readName(item) || readDescription(item)] as const),
    ),
  )
}

function formatYaml(
  body: JsonObject,
  names: ReadonlyMap<unknown, string> = new Map(),
): readonly string[] {
  const document = new Document(body)
  visit(document, {
    Scalar: (_, node) => {
      const name = names.get(node.value)
      if (name) node.comment = ` ${name}`
    },
  })
  return [escapeControlsInLines(document.toString({ lineWidth: 0 }).trimEnd())]
}

/** The saved resource in a form that can be saved again; its warnings are printed on stderr. */
function formatSaved(body: JsonObject, { warn }: Invocation): readonly string[] {
  const { warnings: _, ...saved } = body
  warn(readWarnings(body))
  return formatYaml(saved)
}

/** Reads what to send: the file without the fields that the service sets, or the options of a rule. */
async function readInput({ context, given }: Invocation, otherwise: string): Promise<object> {
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
