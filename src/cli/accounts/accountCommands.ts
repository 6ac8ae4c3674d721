/** The operator's accounts: opened, listed, seen one at a time with their tokens. */

import type { Command } from 'commander'
import { listAll } from '../connecting/listAll.ts'
import { segment } from '../connecting/segment.ts'
import { type Run, type Session, serve } from '../connecting/session.ts'
import { describe } from '../terminal/describe.ts'
import type { ExitCode } from '../terminal/exitCode.ts'
import { fieldLines } from '../terminal/fields.ts'
import { accountLines, accountTable } from './accountsView.ts'

const path = '/v2/operator/accounts'

type Done = Promise<ExitCode | undefined>

/** Adds `accounts`. */
export function addAccountCommands(program: Command, run: Run): void {
  const accounts = program.command('accounts').description('Open and list accounts (operator).')
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

async function openAccount(session: Session, _: object, name = ''): Done {
  const client = await session.client('operator')
  const { body } = await client('POST', path, { body: { name } })
  session.print(body, () => fieldLines(body))
  return undefined
}

async function listAccounts(session: Session): Done {
  const client = await session.client('operator')
  const accounts = await listAll(client, { path, name: 'accounts' })
  session.print({ accounts }, () => accountTable(accounts, session.paint))
  return undefined
}

async function getAccount(session: Session, _: object, account = ''): Done {
  const client = await session.client('operator')
  const { body } = await client('GET', `${path}/${segment(account)}`)
  session.print(body, () => accountLines(body, session.paint))
  return undefined
}
