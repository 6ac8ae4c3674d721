/** Adds `vigil history`: prints or follows the account's events. */

import type { Command } from 'commander'
import type { EventView } from '../../queries/audit/history.ts'
import type { Client } from '../connecting/client.ts'
import { type FollowedPage, follow, nextAfterOf } from '../connecting/follow.ts'
import { type Invocation, type Run, serve } from '../connecting/invocation.ts'
import { entriesOf } from '../connecting/pagination.ts'
import { usageError } from '../terminal/cliError.ts'
import {
  describe,
  type GivenTime,
  givenTime,
  timeForms,
  wholeNumber,
} from '../terminal/describe.ts'
import { printable, printableJson } from '../terminal/screen.ts'

const path = '/v2/watch/audit/events'
const perPage = 100
const usualLimit = 20
const position = wholeNumber(0, Number.MAX_SAFE_INTEGER)

/** Adds `history`. */
export function addHistoryCommand(program: Command, run: Run): void {
  describe(program, {
    usage: 'history',
    summary: 'Print the events of the account, a line each: who changed what, and when.',
    example: `vigil history --type RulePublished --from yesterday
vigil history --phone +15551234567 --json
vigil history --follow`,
  })
    .option('--type <type>', 'only events of this type, such as RulePublished')
    .option('--stream <type>', 'only of streams of this type, such as rulebook')
    .option('--phone <number>', 'only of this phone number')
    .option('--email <address>', 'only of this email address')
    .option('--actor <id>', 'only by this token, key, user or application; or operator, service')
    .option('--from <time>', `from this time on: ${timeForms}`, givenTime)
    .option('--to <time>', 'up to this time, not included', givenTime)
    .option('--after <position>', 'the oldest behind this position of the log', position)
    .option('--before <position>', 'only before this position of the log', position)
    .option('--limit <n>', 'so many at most', wholeNumber(1, Number.MAX_SAFE_INTEGER), usualLimit)
    .option('--follow', 'then print events as they are recorded, until Ctrl-C')
    .action(serve<HistoryOptions>(run, history))
}

interface HistoryOptions {
  readonly type?: string
  readonly stream?: string
  readonly phone?: string
  readonly email?: string
  readonly actor?: string
  readonly from?: GivenTime
  readonly to?: GivenTime
  readonly after?: number
  readonly before?: number
  readonly limit: number
  readonly follow?: boolean
}

type Query = Readonly<Record<string, string | undefined>>

async function history(invocation: Invocation, options: HistoryOptions): Promise<undefined> {
  if (options.follow && (options.before !== undefined || options.to !== undefined)) {
    throw usageError('--follow has no end: leave out --before and --to.')
  }
  const client = await invocation.client()
  const query = queryOf(options, invocation.context.nowMs())
  const { items, nextAfter } =
    options.after === undefined
      ? await newest(client, query, options)
      : await oldest(client, query, options)
  for (const event of items) print(invocation, event)
  if (!options.follow) return
  await follow<EventView>(invocation, {
    start: nextAfter,
    count: Number.POSITIVE_INFINITY,
    perPage,
    ask: (after) => askPage(client, { ...query, before: undefined, after, limit: String(perPage) }),
    print: (event) => print(invocation, event),
    nouns: ['event', 'events'],
  })
}

function queryOf(options: HistoryOptions, nowMs: number): Query {
  const { type, stream, phone, email, actor, from, to, before } = options
  return {
    type,
    stream_type: stream,
    phone_number: phone,
    email_address: email,
    actor,
    from: from?.(nowMs),
    to: to?.(nowMs),
    before: before === undefined ? undefined : String(before),
  }
}

/** The newest so many, in the order of the log. */
async function newest(
  client: Client,
  query: Query,
  { limit }: HistoryOptions,
): Promise<FollowedPage<EventView>> {
  let items: readonly EventView[] = []
  let nextAfter: string | undefined
  for (let { before } = query; ; ) {
    const wanted = Math.min(perPage, limit - items.length)
    const page = await askPage(client, { ...query, before, limit: String(wanted) })
    nextAfter ??= page.nextAfter
    items = [...page.items, ...items]
    before = page.nextBefore
    if (before === undefined || items.length >= limit) return { items, nextAfter }
  }
}

/** The first so many behind a position. */
async function oldest(
  client: Client,
  query: Query,
  { limit, after: start }: HistoryOptions,
): Promise<FollowedPage<EventView>> {
  const items: EventView[] = []
  for (let after: string | undefined = String(start); ; ) {
    const wanted = Math.min(perPage, limit - items.length)
    const page = await askPage(client, { ...query, after, limit: String(wanted) })
    items.push(...page.items)
    if (items.length >= limit || page.nextAfter === after || page.items.length === 0) {
      return { items, nextAfter: page.nextAfter }
    }
    after = page.nextAfter
  }
}

interface Page extends FollowedPage<EventView> {
  readonly nextBefore: string | undefined
}

async function askPage(client: Client, query: Query): Promise<Page> {
  const { body } = await client('GET', path, { query })
  const { next_before: before } = body
  return {
    items: entriesOf<EventView>(body, 'events'),
    nextAfter: nextAfterOf(body) ?? query['after'],
    nextBefore: typeof before === 'string' ? before : undefined,
  }
}

function print({ context, flags }: Invocation, event: EventView): void {
  context.stdout.write(`${flags.json ? printableJson(event, 0) : lineOf(event)}\n`)
}

const positionWidth = 8

function lineOf({ recorded_at, position: at, summary, actor }: EventView): string {
  return printable(`${recorded_at}  ${at.padStart(positionWidth)}  ${summary}  (${actor})`)
}
