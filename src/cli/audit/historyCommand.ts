/** Declares `vigil history`: prints or follows the account's events. */

import type { EventView } from '../../queries/audit/history.ts'
import type { Client } from '../connecting/client.ts'
import type { CommandRow, FieldSources, ReadInput } from '../connecting/commandRow.ts'
import { type FollowedPage, follow, nextAfterOf } from '../connecting/follow.ts'
import type { Invocation } from '../connecting/invocation.ts'
import { entriesOf } from '../connecting/pagination.ts'
import { filled } from '../connecting/runRow.ts'
import { usageError } from '../terminal/cliError.ts'
import { parseTime, position, timeForms, wholeNumber } from '../terminal/optionValues.ts'
import { printable, printableJson } from '../terminal/screen.ts'

const perPage = 100
const positionWidth = 8

export const historyCommand: CommandRow = {
  usage: 'history',
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
    '--from <time>': { meaning: `from this time on: ${timeForms}`, parse: parseTime },
    '--to <time>': { meaning: 'up to this time, not included', parse: parseTime },
    '--after <position>': {
      meaning: 'the oldest behind this position of the log',
      parse: position,
    },
    '--before <position>': { meaning: 'only before this position of the log', parse: position },
    '--limit <n>': {
      meaning: 'so many at most',
      parse: wholeNumber(1, Number.MAX_SAFE_INTEGER),
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

type Query = Readonly<Record<string, string | number | undefined>>

async function history(invocation: Invocation, given: ReadInput): Promise<undefined> {
  const client = await invocation.client()
  const asked = filled(query, given) as Query
  const { items, nextAfter } = await readEvents(client, asked, given<number>('--limit') ?? 0)
  for (const event of items) print(invocation, event)
  if (!given('--follow')) {
    if (items.length === 0 && !invocation.flags.json)
      invocation.context.stdout.write('No events.\n')
    return
  }
  await follow<EventView>(invocation, {
    start: nextAfter,
    count: Number.POSITIVE_INFINITY,
    perPage,
    ask: (after) => askPage(client, { ...asked, after, limit: perPage }),
    print: (event) => print(invocation, event),
    nouns: ['event', 'events'],
  })
}

/** The first so many behind a position, else the newest; in the order of the log. */
async function readEvents(
  client: Client,
  query: Query,
  limit: number,
): Promise<FollowedPage<EventView>> {
  const isForward = query['after'] !== undefined
  const pages: Page[] = []
  let count = 0
  for (let from: Query | undefined = {}; from && count < limit; ) {
    const wanted = Math.min(perPage, limit - count)
    const page = await askPage(client, { ...query, ...from, limit: wanted })
    count += page.items.length
    if (isForward) pages.push(page)
    else pages.unshift(page)
    from = isForward ? page.forward : page.backward
  }
  return { items: pages.flatMap(({ items }) => items), nextAfter: pages.at(-1)?.nextAfter }
}

interface Page extends FollowedPage<EventView> {
  /** The queries of the pages around it; undefined where the log ends. */
  readonly forward: Query | undefined
  readonly backward: Query | undefined
}

async function askPage(client: Client, query: Query): Promise<Page> {
  const { body } = await client('GET', '/v2/watch/audit/events', { query })
  const { next_before: before } = body
  const items = entriesOf<EventView>(body, 'events')
  const nextAfter = nextAfterOf(body) ?? query['after']?.toString()
  return {
    items,
    nextAfter,
    forward: items.length === 0 ? undefined : { after: nextAfter },
    backward: typeof before === 'string' ? { before } : undefined,
  }
}

function print({ context, flags }: Invocation, event: EventView): void {
  context.stdout.write(`${flags.json ? printableJson(event, 0) : lineOf(event)}\n`)
}

function lineOf({ recorded_at, position: at, summary, actor }: EventView): string {
  return printable(`${recorded_at}  ${at.padStart(positionWidth)}  ${summary}  (${actor})`)
}
