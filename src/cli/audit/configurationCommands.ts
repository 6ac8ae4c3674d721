/** Declares `vigil state` and `vigil diff`: the configuration as of a time, and what differs. */

import type {
  ChangeView,
  FieldChange,
  ResourceView,
} from '../../queries/audit/configuration/configuration.ts'
import { resourceKinds } from '../../queries/audit/configuration/resources.ts'
import type { CommandRow } from '../connecting/commandRow.ts'
import type { Invocation } from '../connecting/invocation.ts'
import { listAll } from '../connecting/pagination.ts'
import { asQuestion, diff } from '../rulebook/diffCommand.ts'
import { type ExitCode, exitCodes, usageError } from '../terminal/cliError.ts'
import { type GivenTime, givenPoint, pointForms } from '../terminal/describe.ts'
import { type Paint, printable } from '../terminal/screen.ts'

const kind = { meaning: 'only resources of this kind', choices: resourceKinds }

export const stateCommand: CommandRow = {
  usage: 'state',
  summary: 'Print what was configured at a time: rules, recipes, flows, lists, access, settings.',
  example: `vigil state --as-of yesterday
vigil state --as-of 2026-01-01 --kind recipe --json`,
  options: {
    '--as-of <time>': { meaning: `as of then; now unless given: ${pointForms}`, parse: givenPoint },
    '--kind <kind>': kind,
  },
  run: state,
}

export const diffCommand: CommandRow = {
  usage: 'diff [folder]',
  summary: `Show how a folder differs from the service, and whether it could be pushed; or with --from what changed in the configuration between two times. Ends with ${exitCodes.differs} when something differs.`,
  example: `vigil diff rulebook
vigil diff --from monday --to now`,
  options: {
    '--from <time>': { meaning: `what changed since then: ${pointForms}`, parse: givenPoint },
    '--to <time>': { meaning: 'until then; now unless given', parse: givenPoint },
    '--kind <kind>': kind,
  },
  run: diffOfEither,
}

interface StateOptions {
  readonly asOf?: GivenTime
  readonly kind?: string
}

interface DiffOptions {
  readonly from?: GivenTime
  readonly to?: GivenTime
  readonly kind?: string
}

async function state(
  { client, context, paint, print }: Invocation,
  { asOf, kind }: StateOptions,
): Promise<undefined> {
  const items = await listAll<ResourceView>(await client(), {
    path: '/v2/watch/audit/state',
    name: 'items',
    query: { as_of: asOf?.(context.nowMs()), kind },
  })
  print({ items }, () => [
    ...items.flatMap(({ content, ...item }) => [
      titleOf({ ...item, name: content['name'] }, `since ${item.changed_at}`, paint),
      ...Object.entries(content)
        .filter(([field]) => field !== 'name')
        .map(([field, value]) => `  ${printable(field)}  ${textOf(value)}`),
    ]),
    `${items.length} in all.`,
  ])
}

function diffOfEither(
  invocation: Invocation,
  options: DiffOptions,
  folder?: string,
): Promise<ExitCode> {
  const isOfTimes = Object.keys(options).length > 0
  if (isOfTimes === (folder !== undefined)) {
    throw usageError('Name either a folder, or with --from a time.')
  }
  if (folder !== undefined) return diff(invocation, options, folder)
  if (!options.from) throw usageError('--from is required: since when?')
  return asQuestion(() => diffOfTimes(invocation, options))
}

async function diffOfTimes(
  { client, context, paint, print }: Invocation,
  { from, to, kind }: DiffOptions,
): Promise<ExitCode> {
  const nowMs = context.nowMs()
  const changes = await listAll<ChangeView>(await client(), {
    path: '/v2/watch/audit/difference',
    name: 'changes',
    query: { from: from?.(nowMs), to: to?.(nowMs), kind },
  })
  print({ changes }, () => [
    ...changes.flatMap((change) => [
      titleOf(change, `${change.change} ${change.changed_at}`, paint),
      ...change.fields.map((field) => fieldLine(field, paint)),
    ]),
    countLine(changes),
  ])
  return changes.length === 0 ? exitCodes.done : exitCodes.differs
}

interface Titled extends Pick<ChangeView, 'kind' | 'id' | 'changed_by'> {
  readonly name?: unknown
}

function titleOf({ kind, id, changed_by, name }: Titled, when: string, paint: Paint): string {
  const named = typeof name === 'string' ? ` ${JSON.stringify(name)}` : ''
  return `${paint('bold', printable(`${kind} ${id}${named}`))}  ${printable(`${when} by ${changed_by}`)}`
}

function fieldLine({ path, before, after }: FieldChange, paint: Paint): string {
  const [was, is] = [paint('red', textOf(before)), paint('green', textOf(after))]
  const change = before === undefined ? is : `${was} -> ${is}`
  return `  ${printable(path)}  ${change}`
}

function textOf(value: unknown): string {
  return value === undefined ? 'nothing' : printable(JSON.stringify(value))
}

function countLine(changes: readonly ChangeView[]): string {
  if (changes.length === 0) return 'Nothing differs.'
  const counted = (['added', 'changed', 'removed'] as const)
    .map((change) => ({ change, count: changes.filter((one) => one.change === change).length }))
    .filter(({ count }) => count > 0)
  return `${counted.map(({ change, count }) => `${count} ${change}`).join(', ')}.`
}
