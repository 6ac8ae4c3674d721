/** Adds `vigil tokens`: issues and revokes API tokens (operator). */

import { type Command, InvalidArgumentError } from 'commander'
import { scopes } from '../../domain/principal.ts'
import { isoTime } from '../../domain/text/isoTime.ts'
import { isoTimeMs } from '../../engine/language/values/time.ts'
import { type Invocation, type Run, segment, serve } from '../connecting/invocation.ts'
import type { ExitCode } from '../terminal/cliError.ts'
import { collectWords, describe } from '../terminal/describe.ts'
import { printable } from '../terminal/screen.ts'
import { fieldLines } from '../terminal/table.ts'

const accountExample = 'acc_01jc0t6fwwfgfsq1md24mhyztj'

/** Adds `tokens`. */
export function addTokenCommands(program: Command, run: Run): void {
  const tokens = describe(program, {
    usage: 'tokens',
    summary: 'Issue and revoke API tokens (operator).',
    example: `vigil tokens issue ${accountExample} --scope eval`,
  })
  describe(tokens, {
    usage: 'issue <account>',
    summary: 'Issue an API token; it is printed this once.',
    example: `vigil tokens issue ${accountExample} --scope eval,author --name "Shop backend" --expires 90d`,
  })
    .requiredOption(
      '--scope <scope>',
      `${scopes.join(', ')}; may be repeated`,
      collectWords(scopes),
    )
    .option('--name <name>', 'what to call it: where it is used, or by whom')
    .option(
      '--expires <time>',
      'when it ends: ISO 8601 with a zone, or days from now such as 90d; never by default',
      endOf,
    )
    .action(serve<IssueOptions>(run, issueToken))
  describe(tokens, {
    usage: 'revoke <account> <token-id>',
    summary: 'Revoke an API token; one that is revoked already is no error.',
    example: `vigil tokens revoke ${accountExample} tok_01jc0t6fwwfgfsq1md24mhyztj`,
  }).action(serve(run, revokeToken))
}

type Done = Promise<ExitCode | undefined>

/** When a token ends, seen from now. */
type End = (nowMs: number) => string

interface IssueOptions {
  readonly scope: readonly string[]
  readonly name?: string
  readonly expires?: End
}

const dayMs = 24 * 60 * 60 * 1_000

function endOf(given: string): End {
  const days = /^(\d{1,4})d$/.exec(given)?.[1]
  if (days !== undefined) return (nowMs) => isoTime(nowMs + Number(days) * dayMs)
  if (isoTimeMs(given) !== undefined) return () => given
  throw new InvalidArgumentError(
    'Must be a time such as 2027-11-21T07:30:00Z, or days such as 90d.',
  )
}

async function issueToken(
  invocation: Invocation,
  { scope, name, expires }: IssueOptions,
  account = '',
): Done {
  const client = await invocation.client('operator')
  const expires_at = expires?.(invocation.context.nowMs())
  const { body } = await client('POST', tokensPath(account), {
    body: { scopes: scope, name, expires_at },
  })
  invocation.print(body, () => fieldLines(body))
  return undefined
}

async function revokeToken(invocation: Invocation, _: object, ...args: readonly string[]): Done {
  const [account = '', tokenId = ''] = args
  const client = await invocation.client('operator')
  await client('DELETE', `${tokensPath(account)}/${segment(tokenId)}`)
  invocation.print({ token_id: tokenId, revoked: true }, () => [`Revoked ${printable(tokenId)}.`])
  return undefined
}

function tokensPath(account: string): string {
  return `/v2/operator/accounts/${segment(account)}/tokens`
}
