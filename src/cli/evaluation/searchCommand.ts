/** The part of `vigil evaluations list` that looks for a person, an address, a device or a time. */

import type { Command } from 'commander'
import type { FollowedEvaluation } from '../../service/analysis/analysisPart.ts'
import type { Invocation } from '../connecting/invocation.ts'
import { searchPages, type TimeOptions, timesOf, withTimes } from '../connecting/search.ts'
import { evaluationsPath } from './evaluationId.ts'
import { type EvaluationFilter, flowIdOf } from './lastEvaluations.ts'
import { followedTable } from './watchedView.ts'

/** What makes a list a search. */
export interface SearchOptions extends TimeOptions {
  readonly phone?: string
  readonly email?: string
  readonly ip?: string
  readonly device?: string
  readonly correlationId?: string
}

/** Adds the options. */
export function withSearch(command: Command): Command {
  const sought = command
    .option('--phone <number>', 'only of this phone number, with what was reported afterwards')
    .option('--email <address>', 'the same of this email address')
    .option('--ip <address>', 'the same of this IP address')
    .option('--device <id>', 'the same of this device id')
    .option('--correlation-id <id>', 'the same of this correlation id')
  return withTimes(sought)
}

/** Whether any of them was given. */
export function isSearch({
  phone,
  email,
  ip,
  device,
  correlationId,
  from,
  to,
  oldestFirst,
}: SearchOptions): boolean {
  return [phone, email, ip, device, correlationId, from, to, oldestFirst].some(
    (option) => option !== undefined,
  )
}

/** Prints what is found. */
export async function search(
  { client: clientOf, print, screen }: Invocation,
  options: SearchOptions & EvaluationFilter & { readonly limit: number },
): Promise<undefined> {
  const { phone, email, ip, device, correlationId, verdict, limit } = options
  const client = await clientOf()
  const { items, hasMore } = await searchPages<FollowedEvaluation>(client, {
    path: evaluationsPath,
    name: 'evaluations',
    query: {
      flow_id: await flowIdOf(client, options),
      verdict,
      phone_number: phone,
      email_address: email,
      ip,
      device_id: device,
      correlation_id: correlationId,
      ...timesOf(options),
    },
    limit,
  })
  print({ evaluations: items, more: hasMore }, () => [
    ...followedTable(items, screen),
    ...(hasMore ? [`There may be more than ${limit}: --limit N, --from, --to`] : []),
  ])
}
