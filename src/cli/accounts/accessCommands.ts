/** What the operator lets an account do: its access and its tokens. */

import type { Command } from 'commander'
import { scopes } from '../../domain/principal.ts'
import { type Invocation, type Run, serve } from '../connecting/invocation.ts'
import { segment } from '../connecting/segment.ts'
import { usageError } from '../terminal/cliError.ts'
import { collectWords, onOrOff } from '../terminal/collect.ts'
import { describe } from '../terminal/describe.ts'
import type { ExitCode } from '../terminal/exitCode.ts'
import { fieldLines } from '../terminal/fields.ts'
import { printable } from '../terminal/printable.ts'

const accountExample = 'acc_01jc0t6fwwfgfsq1md24mhyztj'

/** Adds `access` and `tokens`. */
export function addAccessCommands(program: Command, run: Run): void {
  describe(program, {
    usage: 'access <account>',
    summary: 'Say what an account may use (operator); what is left out stays as it is.',
    example: `vigil access ${accountExample} --authoring on`,
  })
    .option('--authoring <on|off>', 'author rules, recipes and flows', onOrOff)
    .option('--management <on|off>', 'manage verification settings', onOrOff)
    .option('--trusted-user <on|off>', 'send signals.is_trusted_user', onOrOff)
    .action(serve(run, setAccess))

  addTokenCommands(program, run)
}

function addTokenCommands(program: Command, run: Run): void {
  const tokens = describe(program, {
    usage: 'tokens',
    summary: 'Issue and revoke API tokens (operator).',
    example: `vigil tokens issue ${accountExample} --scope eval`,
  })
  describe(tokens, {
    usage: 'issue <account>',
    summary: 'Issue an API token; it is printed this once.',
    example: `vigil tokens issue ${accountExample} --scope eval --scope author,analyse`,
  })
    .requiredOption(
      '--scope <scope>',
      `${scopes.join(', ')}; may be repeated`,
      collectWords(scopes),
    )
    .action(serve<{ readonly scope: readonly string[] }>(run, issueToken))
  describe(tokens, {
    usage: 'revoke <account> <token-id>',
    summary: 'Revoke an API token; one that is revoked already is no error.',
    example: `vigil tokens revoke ${accountExample} tok_01jc0t6fwwfgfsq1md24mhyztj`,
  }).action(serve(run, revokeToken))
}

type Done = Promise<ExitCode | undefined>

interface AccessOptions {
  readonly authoring?: boolean
  readonly management?: boolean
  readonly trustedUser?: boolean
}

async function setAccess(invocation: Invocation, options: AccessOptions, account = ''): Done {
  const { authoring, management, trustedUser } = options
  if (authoring === undefined && management === undefined && trustedUser === undefined) {
    throw usageError('Say what to change: --authoring, --management or --trusted-user.')
  }
  const client = await invocation.client('operator')
  const { body } = await client('PUT', accountPath(account, '/access'), {
    body: { authoring, management, trusted_user: trustedUser },
  })
  invocation.print(body, () => fieldLines(body))
  return undefined
}

async function issueToken(
  invocation: Invocation,
  { scope }: { readonly scope: readonly string[] },
  account = '',
): Done {
  const client = await invocation.client('operator')
  const { body } = await client('POST', accountPath(account, '/tokens'), {
    body: { scopes: scope },
  })
  invocation.print(body, () => fieldLines(body))
  return undefined
}

async function revokeToken(invocation: Invocation, _: object, ...args: readonly string[]): Done {
  const [account = '', tokenId = ''] = args
  const client = await invocation.client('operator')
  await client('DELETE', accountPath(account, `/tokens/${segment(tokenId)}`))
  invocation.print({ token_id: tokenId, revoked: true }, () => [`Revoked ${printable(tokenId)}.`])
  return undefined
}

function accountPath(account: string, rest: string): string {
  return `/v2/operator/accounts/${segment(account)}${rest}`
}
