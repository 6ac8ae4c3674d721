/** Adds `vigil sdk-keys`: issues, restricts, lists and revokes public SDK keys (operator). */

import type { Command } from 'commander'
import type { AccountView } from '../../queries/accounts/accounts.ts'
import { type Invocation, type Run, segment, serve } from '../connecting/invocation.ts'
import type { ExitCode } from '../terminal/cliError.ts'
import { describe } from '../terminal/describe.ts'
import { printable } from '../terminal/screen.ts'
import { fieldLines } from '../terminal/table.ts'
import { sdkKeyTable } from './accountsView.ts'

const accountExample = 'acc_01jc0t6fwwfgfsq1md24mhyztj'
const keyExample = 'sdk_01jc0t6fwwfgfsq1md24mhyztj'

interface IssueOptions {
  readonly name?: string
  readonly origin?: readonly string[]
}

type Done = Promise<ExitCode | undefined>

/** Adds `sdk-keys`. */
export function addSdkKeyCommands(program: Command, run: Run): void {
  const keys = describe(program, {
    usage: 'sdk-keys',
    summary: 'Issue, list and revoke the public keys of front ends (operator).',
    example: `vigil sdk-keys issue ${accountExample} --name "Web shop"`,
  })
  describe(keys, {
    usage: 'issue <account>',
    summary: 'Issue a public key, good for sending signals and for nothing else.',
    example: `vigil sdk-keys issue ${accountExample} --name "Web shop"`,
  })
    .option('--name <name>', 'what to call it: the site or the app that it stands in')
    .option('--origin <origin>', 'whose pages may use it; may be repeated', collectOrigins)
    .action(serve<IssueOptions>(run, issueKey))
  describe(keys, {
    usage: 'origins <account> <key-id> <origins...>',
    summary: 'Say whose pages may use a key, in the place of what was said before; none for all.',
    example: `vigil sdk-keys origins ${accountExample} ${keyExample} https://shop.example`,
  }).action(serve(run, setOrigins))
  describe(keys, {
    usage: 'list <account>',
    summary: 'List the keys of an account.',
    example: `vigil sdk-keys list ${accountExample}`,
  }).action(serve(run, listKeys))
  describe(keys, {
    usage: 'revoke <account> <key-id>',
    summary: 'Revoke a key; one that is revoked already is no error.',
    example: `vigil sdk-keys revoke ${accountExample} ${keyExample}`,
  }).action(serve(run, revokeKey))
}

function collectOrigins(given: string, before: readonly string[] = []): readonly string[] {
  return [...before, given]
}

async function issueKey(
  invocation: Invocation,
  { name, origin: origins }: IssueOptions,
  account = '',
): Done {
  const client = await invocation.client('operator')
  const path = `${accountPath(account)}/sdk-keys`
  const { body } = await client('POST', path, { body: { name, origins } })
  invocation.print(body, () => fieldLines(body))
  return undefined
}

async function setOrigins(
  invocation: Invocation,
  _: object,
  ...args: readonly (string | readonly string[])[]
): Done {
  const [account = '', keyId = '', ...given] = args.flat()
  // `none` alone stands for an empty list
  const origins = given.length === 1 && given[0] === 'none' ? [] : given
  const client = await invocation.client('operator')
  const path = `${accountPath(account)}/sdk-keys/${segment(keyId)}`
  const { body } = await client('PUT', path, { body: { origins } })
  invocation.print(body, () => fieldLines(body))
  return undefined
}

async function listKeys(invocation: Invocation, _: object, account = ''): Done {
  const client = await invocation.client('operator')
  const { body } = await client<AccountView>('GET', accountPath(account))
  const { sdk_keys } = body
  invocation.print({ sdk_keys }, () => sdkKeyTable(sdk_keys, invocation.screen))
  return undefined
}

async function revokeKey(invocation: Invocation, _: object, ...args: readonly string[]): Done {
  const [account = '', keyId = ''] = args
  const client = await invocation.client('operator')
  await client('DELETE', `${accountPath(account)}/sdk-keys/${segment(keyId)}`)
  invocation.print({ key_id: keyId, revoked: true }, () => [`Revoked ${printable(keyId)}.`])
  return undefined
}

function accountPath(account: string): string {
  return `/v2/operator/accounts/${segment(account)}`
}
