/** Declares `vigil history`: prints or follows the account's events. */

import type { EventView } from '../../queries/audit/history.ts'
import type {
  CommandDefinition,
  FieldSources,
  ReadParameter,
} from '../connecting/commandDefinition.ts'
import type { Invocation } from '../connecting/invocation.ts'
import { followLogList, readLogItems } from '../connecting/logLists.ts'
import { fillFields } from '../connecting/runCommand.ts'
import { usageError } from '../terminal/cliError.ts'
import {
  integerParser,
  parsePosition,
  parseTime,
  timeFormatsHelp,
} from '../terminal/optionValues.ts'
import { escapeControls, printableJson } from '../terminal/screen.ts'

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
  check: (given) => {
    if (given('--follow') && (given('--before') ?? given('--to')) !== undefined) {
      throw usageError('--follow has no end: leave out --before and --to.')
    }
  },
  run: history,
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

async function history(invocation: Invocation, given: ReadParameter): Promise<undefined> {
  const client = await invocation.getClient()
  const list = { path: '/v2/watch/audit/events', name: 'events', query: fillFields(query, given) }
  const count = given<number>('--limit') ?? 0
  const { items, nextAfter } = await readLogItems<EventView>(client, list, count)
  for (const event of items) print(invocation, event)
  if (!given('--follow')) {
    if (items.length === 0 && !invocation.flags.json)
      invocation.context.stdout.write('No events.\n')
    return
  }
  await followLogList<EventView>(invocation, {
    ...{ client, list, start: nextAfter, count: Number.POSITIVE_INFINITY },
    print: (event) => print(invocation, event),
    noun: 'event',
  })
}

function print({ context, flags }: Invocation, event: EventView): void {
  context.stdout.write(`${flags.json ? printableJson(event, 0) : lineOf(event)}\n`)
}

function lineOf({ recorded_at, position: at, summary, actor }: EventView): string {
  return escapeControls(`${recorded_at}  ${at.padStart(positionWidth)}  ${summary}  (${actor})`)
}
