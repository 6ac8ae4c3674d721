/** Declares `vigil history`: prints or follows the account's events. */

import type { EventView } from '../../queries/audit/history.ts'
import {
  type CommandDefinition,
  type FieldSources,
  fillFields,
} from '../connecting/commandDefinition.ts'
import type { Invocation } from '../connecting/invocation.ts'
import { followLogList, printItems, readLogItems } from '../connecting/logLists.ts'
import { usageError } from '../terminal/cliError.ts'
import {
  integerParser,
  parsePosition,
  parseTime,
  timeFormatsHelp,
} from '../terminal/optionValues.ts'
import { escapeControls } from '../terminal/screen.ts'

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
    '--from <time>': { description: `from this time on: ${timeFormatsHelp}`, parse: parseTime },
    '--to <time>': { description: 'up to this time, not included', parse: parseTime },
    '--after <position>': {
      description: 'the oldest behind this position of the log',
      parse: parsePosition,
    },
    '--before <position>': {
      description: 'only before this position of the log',
      parse: parsePosition,
    },
    '--limit <n>': {
      description: 'so many at most',
      parse: integerParser(1, Number.MAX_SAFE_INTEGER),
      default: 20,
    },
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
