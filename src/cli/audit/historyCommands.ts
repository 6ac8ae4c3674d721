/** Declares `vigil history`, `state`, `diff`: events, and the configuration at or between times. */

import { resourceKinds } from '../../domain/resourceKinds.ts'
import type {
  ChangeView,
  FieldChange,
  ResourceView,
} from '../../queries/audit/configuration/findConfiguration.ts'
import type { EventView } from '../../queries/audit/history.ts'
import {
  type CommandDefinition,
  type FieldSources,
  fillFields,
} from '../connecting/commandDefinition.ts'
import type { Invocation } from '../connecting/invocation.ts'
import { followLogList, printItems, readLogItems } from '../connecting/logLists.ts'
import { readList, timeOptions } from '../connecting/pagination.ts'
import { diffFolder, withUsageExitCode } from '../rulebook/folderCommands.ts'
import { type ExitCode, exitCodes, usageError } from '../terminal/cliError.ts'
import {
  integerOption,
  positionOption,
  timeOrPositionFormats,
  timeOrPositionOption,
} from '../terminal/optionValues.ts'
import {
  escapeControls,
  formatJsonOnLine,
  formatValueChange,
  type Paint,
} from '../terminal/screen.ts'

const positionWidth = 8

export const historyCommand: CommandDefinition = {
  summary: 'Print the events of the account, a line each: who changed what, and when.',
  example: `vigil history --type RulePublished --from yesterday
vigil history --phone +15551234567 --json
vigil history --follow`,
  options: {
    '--type <type>': 'only events of this type, such as RulePublished',
    '--stream <type>': 'only of streams of this type, such as rulebook',
    '--phone <number>': 'only of this phone number',
    '--email <address>': 'only of this email address',
    '--actor <id>': 'only by this token, key, user or application; or operator, service',
    '--from <time>': timeOptions['--from <time>'],
    '--to <time>': timeOptions['--to <time>'],
    '--after <position>': positionOption('the oldest behind this position of the log'),
    '--before <position>': positionOption('only before this position of the log'),
    '--limit <n>': { ...integerOption('so many at most'), default: 20 },
    '--follow': 'then print events as they are recorded, until Ctrl-C',
  },
  check: ({ given }) => {
    if (given('--follow') && (given('--before') ?? given('--to')) !== undefined) {
      throw usageError('--follow has no end: leave out --before and --to.')
    }
  },
  run: runHistory,
}

const query: FieldSources = {
  type: '--type',
  stream_type: '--stream',
  phone_number: '--phone',
  email_address: '--email',
  actor: '--actor',
  from: '--from',
  to: '--to',
  before: '--before',
  after: '--after',
}

async function runHistory(invocation: Invocation): Promise<undefined> {
  const { client, context, flags, given } = invocation
  const list = { path: '/v2/watch/audit/events', name: 'events', query: fillFields(query, given) }
  const count = given<number>('--limit') ?? 0
  const { items, nextAfter } = await readLogItems<EventView>(client, list, count)
  printItems(invocation, items, formatEvent)
  if (given('--follow')) {
    const start = nextAfter
    const following = { list, start, count: Number.POSITIVE_INFINITY, noun: 'event' }
    await followLogList(invocation, { ...following, format: formatEvent })
  } else if (items.length === 0 && !flags.json) context.stdout.write('No events.\n')
}

function formatEvent({ recorded_at, position: at, summary, actor }: EventView): string {
  return escapeControls(`${recorded_at}  ${at.padStart(positionWidth)}  ${summary}  (${actor})`)
}

const kind = { description: 'only resources of this kind', choices: resourceKinds }

export const stateCommand: CommandDefinition = {
  summary: 'Print what was configured at a time: rules, recipes, flows, lists, access, settings.',
  example: `vigil state --as-of yesterday
vigil state --as-of 2026-01-01 --kind recipe --json`,
  options: {
    '--as-of <time>': timeOrPositionOption(
      `as of then; now unless given: ${timeOrPositionFormats}`,
    ),
    '--kind <kind>': kind,
  },
  request: 'GET /v2/watch/audit/state',
  query: { as_of: '--as-of', kind: '--kind' },
  list: { name: 'items', lines: formatState },
}

export const diffCommand: CommandDefinition = {
  summary: `Show how a folder differs from the service, and whether it could be pushed; or with --from what changed in the configuration between two times. Ends with ${exitCodes.foundDifferences} when something differs.`,
  example: `vigil diff rulebook
vigil diff --from monday --to now`,
  options: {
    '--from <time>': timeOrPositionOption(`what changed since then: ${timeOrPositionFormats}`),
    '--to <time>': timeOrPositionOption('until then; now unless given'),
    '--kind <kind>': kind,
  },
  run: runDiff,
}

function formatState(items: readonly ResourceView[], { paint }: Invocation): readonly string[] {
  return [
    ...items.flatMap(({ content: { name, ...content }, ...item }) => [
      formatTitle({ ...item, name }, `since ${item.changed_at}`, paint),
      ...Object.entries(content).map(
        ([field, value]) => `  ${escapeControls(field)}  ${formatJsonOnLine(value)}`,
      ),
    ]),
    `${items.length} in all.`,
  ]
}

async function runDiff(invocation: Invocation): Promise<ExitCode> {
  const { given } = invocation
  const folder = given('<folder>')
  const query = fillFields({ from: '--from', to: '--to', kind: '--kind' }, given)
  const isOfTimes = Object.keys(query).length > 0
  if (isOfTimes === (folder !== undefined)) {
    throw usageError('Name either a folder, or with --from a time.')
  }
  if (folder !== undefined) return diffFolder(invocation, folder)
  if (query['from'] === undefined) throw usageError('--from is required: since when?')
  return withUsageExitCode(() => diffTimes(invocation, query as Readonly<Record<string, string>>))
}

async function diffTimes(
  { client, paint, print }: Invocation,
  query: Readonly<Record<string, string>>,
): Promise<ExitCode> {
  const path = '/v2/watch/audit/difference'
  const { items: changes } = await readList<ChangeView>(client, { path, name: 'changes', query })
  print({ changes }, () => [
    ...changes.flatMap((change) => [
      formatTitle(change, `${change.change} ${change.changed_at}`, paint),
      ...change.fields.map((field) => formatFieldChange(field, paint)),
    ]),
    formatCounts(changes),
  ])
  return changes.length === 0 ? exitCodes.done : exitCodes.foundDifferences
}

interface Item extends Pick<ChangeView, 'kind' | 'id' | 'changed_by'> {
  readonly name?: unknown
}

function formatTitle({ kind, id, changed_by, name }: Item, when: string, paint: Paint): string {
  const named = typeof name === 'string' ? ` ${JSON.stringify(name)}` : ''
  return `${paint('bold', `${kind} ${id}${named}`)}  ${escapeControls(`${when} by ${changed_by}`)}`
}

function formatFieldChange({ path, before, after }: FieldChange, paint: Paint): string {
  const change =
    before === undefined
      ? paint('green', formatJsonOnLine(after))
      : formatValueChange(before, after, paint)
  return `  ${escapeControls(path)}  ${change}`
}

function formatCounts(changes: readonly ChangeView[]): string {
  if (changes.length === 0) return 'Nothing differs.'
  const counted = (['added', 'changed', 'removed'] as const)
    .map((change) => ({ change, count: changes.filter((one) => one.change === change).length }))
    .filter(({ count }) => count > 0)
  return `${counted.map(({ change, count }) => `${count} ${change}`).join(', ')}.`
}
