/** Adds `vigil accounts` and `vigil access`: opens and lists accounts, sets what they may use. */

import type { Command } from 'commander'
import type { AccountView } from '../../queries/accounts/accounts.ts'
import { type Invocation, type Run, segment, serve } from '../connecting/invocation.ts'
import { listAll } from '../connecting/search.ts'
import { type ExitCode, usageError } from '../terminal/cliError.ts'
import { describe, onOrOff } from '../terminal/describe.ts'
import { fieldLines } from '../terminal/table.ts'
import { accountLines, accountTable } from './accountsView.ts'

const path = '/v2/operator/accounts'

type Done = Promise<ExitCode | undefined>

/** Adds `accounts`. */
export function addAccountCommands(program: Command, run: Run): void {
  const accounts = describe(program, {
    usage: 'accounts',
    summary: 'Open and list accounts (operator).',
    example: 'vigil accounts list',
  })
  describe(accounts, {
    usage: 'open <name>',
    summary: 'Open an account and print its id.',
    example: 'vigil accounts open "Shop"',
  }).action(serve(run, openAccount))
  describe(accounts, {
    usage: 'list',
    summary: 'List all accounts, what each may use, and how many tokens it has in force.',
    example: 'vigil accounts list',
  }).action(serve(run, listAccounts))
  describe(accounts, {
    usage: 'get <account>',
    summary: 'Print an account with its tokens; their secrets are kept nowhere.',
    example: 'vigil accounts get acc_01jc0t6fwwfgfsq1md24mhyztj',
  }).action(serve(run, getAccount))
}

async function openAccount(invocation: Invocation, _: object, name = ''): Done {
  const client = await invocation.client('operator')
  const { body } = await client('POST', path, { body: { name } })
  invocation.print(body, () => fieldLines(body))
  return undefined
}

async function listAccounts(invocation: Invocation): Done {
  const client = await invocation.client('operator')
  const accounts = await listAll<AccountView>(client, { path, name: 'accounts' })
  const { screen, context } = invocation
  const shown = { screen, nowMs: context.nowMs() }
  invocation.print({ accounts }, () => accountTable(accounts, shown))
  return undefined
}

async function getAccount(invocation: Invocation, _: object, account = ''): Done {
  const client = await invocation.client('operator')
  const { body } = await client<AccountView>('GET', `${path}/${segment(account)}`)
  invocation.print(body, () => accountLines(body, invocation.screen))
  return undefined
}

/** Adds `access`. */
export function addAccessCommand(program: Command, run: Run): void {
  describe(program, {
    usage: 'access <account>',
    summary: 'Say what an account may use (operator); what is left out stays as it is.',
    example: 'vigil access acc_01jc0t6fwwfgfsq1md24mhyztj --authoring on',
  })
    .option('--authoring <on|off>', 'author rules, recipes and flows', onOrOff)
    .option('--management <on|off>', 'manage verification settings', onOrOff)
    .option('--trusted-user <on|off>', 'send signals.is_trusted_user', onOrOff)
    .option('--custom-suffix <on|off>', 'have suffixes of its own in templates', onOrOff)
    .action(serve(run, setAccess))
}

interface AccessOptions {
  readonly authoring?: boolean
  readonly management?: boolean
  readonly trustedUser?: boolean
  readonly customSuffix?: boolean
}

async function setAccess(invocation: Invocation, options: AccessOptions, account = ''): Done {
  const { authoring, management, trustedUser, customSuffix } = options
  if ([authoring, management, trustedUser, customSuffix].every((one) => one === undefined)) {
    const message =
      'Say what to change: --authoring, --management, --trusted-user or --custom-suffix.'
    throw usageError(message)
  }
  const client = await invocation.client('operator')
  const { body } = await client('PUT', `/v2/operator/accounts/${segment(account)}/access`, {
    body: { authoring, management, trusted_user: trustedUser, custom_suffix: customSuffix },
  })
  invocation.print(body, () => fieldLines(body))
  return undefined
}
