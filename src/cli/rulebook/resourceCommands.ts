/** Adds `vigil rules`, `recipes`, `flows` and `managed`: reads, writes and versions. */

import type { Command } from 'commander'
import type { Body, Client } from '../connecting/client.ts'
import type { Caller } from '../connecting/connection.ts'
import { type Invocation, type Run, segment, serve } from '../connecting/invocation.ts'
import { listAll } from '../connecting/search.ts'
import { type ExitCode, usageError } from '../terminal/cliError.ts'
import { describe } from '../terminal/describe.ts'
import { readInputFile } from '../terminal/input.ts'
import { printable } from '../terminal/screen.ts'
import { warningsOf } from '../terminal/warningTexts.ts'
import { kindFacts, type ResourceKind, resourceKinds } from './folder/kind.ts'
import { resourceId } from './resourceId.ts'
import { resourceLines, resourceTable, versionTable } from './resourceView.ts'

/** One collection of the API. */
interface ResourceFacts {
  readonly kind: ResourceKind
  readonly noun: string
  readonly path: string
  readonly caller: Caller
  /** What one types in front: `vigil rules`. */
  readonly words: string
  readonly sampleId: string
}

const summaries: Readonly<Record<ResourceKind, string>> = {
  rules: 'Read, write and try single rules.',
  recipes: 'Read, write and compare single recipes.',
  flows: 'Read, write and try single flows.',
}

/** Adds commands below the command of one kind. */
export type AddCommands = (command: Command, run: Run) => void

/** Adds `rules`, `recipes` and `flows`, each with `more` below it. */
export function addResourceCommands(
  program: Command,
  run: Run,
  more: Readonly<Record<ResourceKind, readonly AddCommands[]>>,
): void {
  for (const kind of resourceKinds) {
    const facts = factsOf(kind, 'account', kindFacts[kind].path)
    const command = describe(program, {
      usage: kind,
      summary: summaries[kind],
      example: `${facts.words} list`,
    })
    addReads(command, run, facts)
    addWrites(command, run, facts)
    addVersions(command, run, facts)
    if (kind !== 'flows') addOffered(command, run, facts)
    for (const add of more[kind]) add(command, run)
  }
}

/** Adds `managed` with the operator's rules and recipes. */
export function addManagedCommands(program: Command, run: Run): void {
  const managed = describe(program, {
    usage: 'managed',
    summary: 'Read and write managed rules and recipes (operator).',
    example: 'vigil managed rules list',
  })
  for (const kind of ['rules', 'recipes'] as const) {
    const facts = factsOf(kind, 'operator', `/v2/operator/managed/${kind}`)
    const command = describe(managed, {
      usage: kind,
      summary: `Read and write managed ${kind}.`,
      example: `${facts.words} list`,
    })
    addReads(command, run, facts)
    addWrites(command, run, facts)
    addVersions(command, run, facts)
  }
}

function factsOf(kind: ResourceKind, caller: Caller, path: string): ResourceFacts {
  const { noun, prefix } = kindFacts[kind]
  const isOperator = caller === 'operator'
  return {
    kind,
    path,
    caller,
    noun: isOperator ? `managed ${noun}` : noun,
    words: isOperator ? `vigil managed ${kind}` : `vigil ${kind}`,
    sampleId: `${prefix}_01jc0t6fwwfgfsq1md24mhyztj`,
  }
}

type Done = Promise<ExitCode | undefined>

function addReads(command: Command, run: Run, facts: ResourceFacts): void {
  const { noun, kind, words, sampleId, path } = facts
  describe(command, {
    usage: 'list',
    summary: `List all ${noun}s.`,
    example: `${words} list`,
  }).action(
    serve(run, async (invocation): Done => {
      const client = await invocation.client(facts.caller)
      const items = await listAll(client, { path, name: kind })
      invocation.print({ [kind]: items }, () => resourceTable(kind, items, invocation.screen))
      return undefined
    }),
  )
  describe(command, {
    usage: 'get',
    takes: takenBy(facts),
    summary: `Print a ${noun} as YAML, or as JSON with --json.`,
    example: `${words} get ${sampleId}`,
  }).action(
    serve(run, async (invocation, _, named = ''): Done => {
      const client = await invocation.client(facts.caller)
      const { body } = await client('GET', await itemPath(client, facts, named))
      invocation.print(body, () => resourceLines(body))
      return undefined
    }),
  )
}

interface InputOptions {
  readonly file?: string
  readonly name?: string
  readonly expression?: string
}

function addWrites(command: Command, run: Run, facts: ResourceFacts): void {
  const { noun, words, sampleId, path } = facts
  const input =
    facts.kind === 'rules' ? '--name "Large cart" --expression \'…\'' : '--file new.yaml'
  const create = describe(command, {
    usage: 'create',
    summary: `Create a ${noun}.`,
    example: `${words} create ${input}`,
  })
  withInput(create, facts).action(
    serve<InputOptions>(run, async (invocation, options): Done => {
      const body = await inputOf(invocation, facts, options)
      const answer = await (await invocation.client(facts.caller))('POST', path, { body })
      printSaved(invocation, answer.body)
      return undefined
    }),
  )
  const put = describe(command, {
    usage: 'put',
    takes: takenBy(facts),
    summary: `Replace a ${noun} by a new version.`,
    example: `${words} put ${sampleId} ${input}`,
  })
  withInput(put, facts).action(
    serve<InputOptions>(run, async (invocation, options, named = ''): Done => {
      const body = await inputOf(invocation, facts, options)
      const client = await invocation.client(facts.caller)
      const answer = await client('PUT', await itemPath(client, facts, named), { body })
      printSaved(invocation, answer.body)
      return undefined
    }),
  )
  describe(command, {
    usage: 'delete',
    takes: takenBy(facts),
    summary: `Delete a ${noun}; one that is gone already is no error.`,
    example: `${words} delete ${sampleId}`,
  }).action(
    serve(run, async (invocation, _, named = ''): Done => {
      const client = await invocation.client(facts.caller)
      const id = await resourceId(client, facts, named)
      await client('DELETE', `${facts.path}/${id}`)
      invocation.print({ id, deleted: true }, () => [`Deleted ${printable(id)}.`])
      return undefined
    }),
  )
}

function addOffered(
  command: Command,
  run: Run,
  { kind, words, path, caller }: ResourceFacts,
): void {
  describe(command, {
    usage: 'managed',
    summary: `List the managed ${kind} that your recipes may use.`,
    example: `${words} managed`,
  }).action(
    serve(run, async (invocation): Done => {
      const client = await invocation.client(caller)
      const items = await listAll(client, { path: `${path}/managed`, name: kind })
      invocation.print({ [kind]: items }, () => resourceTable(kind, items, invocation.screen))
      return undefined
    }),
  )
}

function addVersions(command: Command, run: Run, facts: ResourceFacts): void {
  const { noun, words, sampleId } = facts
  describe(command, {
    usage: 'versions',
    takes: takenBy(facts),
    summary: `List the changes of a ${noun} with their versions, newest first; of a deleted one by its id.`,
    example: `${words} versions ${sampleId}`,
  }).action(
    serve(run, async (invocation, _, named = ''): Done => {
      const client = await invocation.client(facts.caller)
      const path = `${await itemPath(client, facts, named)}/versions`
      const versions = await listAll(client, { path, name: 'versions' })
      invocation.print({ versions }, () => versionTable(versions, invocation.screen))
      return undefined
    }),
  )
  describe(command, {
    usage: 'restore',
    takes: { ...takenBy(facts), '<version>': 'the id of the version' },
    summary: `Make an earlier version of a ${noun} current again.`,
    example: `${words} restore ${sampleId} ver_01jc0t6fwwfgfsq1md24mhyztj`,
  }).action(
    serve(run, async (invocation, _, ...args: readonly string[]): Done => {
      const [named = '', version = ''] = args
      const client = await invocation.client(facts.caller)
      const path = `${await itemPath(client, facts, named)}/versions/${segment(version)}/restore`
      const { body } = await client('POST', path)
      printSaved(invocation, body)
      return undefined
    }),
  )
}

/** What was saved, as it could be saved again, and beside it what its author is warned of. */
function printSaved({ print, warn }: Invocation, body: Body): void {
  const { warnings: _, ...saved } = body
  print(body, () => resourceLines(saved))
  warn(warningsOf(body))
}

/** The operator's rules have more to them than two options. */
function hasShortForm({ kind, caller }: ResourceFacts): boolean {
  return kind === 'rules' && caller === 'account'
}

function withInput(command: Command, facts: ResourceFacts): Command {
  command.option('--file <file>', 'YAML or JSON as the API takes it; - is standard input')
  if (!hasShortForm(facts)) return command
  return command
    .option('--name <name>', 'its name, in place of --file')
    .option('--expression <text>', 'its condition, in place of --file')
}

/** What to send: the file without what the service sets itself, or a rule's two options. */
async function inputOf(
  { context }: Invocation,
  facts: ResourceFacts,
  { file, name, expression }: InputOptions,
): Promise<Body> {
  if (file !== undefined && name === undefined && expression === undefined) {
    // what `get` and `create` print beside the content
    const {
      id: _,
      version_id: __,
      warnings: ___,
      ...body
    }: Body = { ...(await readInputFile(context, file)) }
    return body
  }
  if (file === undefined && name !== undefined && expression !== undefined) {
    return { name, expression }
  }
  throw usageError(
    hasShortForm(facts)
      ? 'Give the rule by --file, or by --name and --expression.'
      : `Give the ${facts.noun} by --file.`,
  )
}

/** Its address, of its id or its name. */
async function itemPath(client: Client, facts: ResourceFacts, named: string): Promise<string> {
  return `${facts.path}/${await resourceId(client, facts, named)}`
}

/** What the commands on one of them take first. */
function takenBy({ kind }: ResourceFacts): Readonly<Record<string, string>> {
  return { [`<${kindFacts[kind].noun}>`]: 'its id or name' }
}
