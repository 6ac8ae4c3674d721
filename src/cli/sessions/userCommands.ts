/** Adds `vigil users`: creates, finds and deletes users, and sets their passwords. */

import type { Command } from 'commander'
import type { UserView } from '../../commands/sessions/views.ts'
import { type Invocation, type Run, segment, serve } from '../connecting/invocation.ts'
import { refuseSharedInput } from '../connecting/refuseSharedInput.ts'
import { entriesOf, listAll } from '../connecting/search.ts'
import { type ExitCode, usageError } from '../terminal/cliError.ts'
import { collectEveryPair, describe, type Pair, wholeNumber } from '../terminal/describe.ts'
import { printable } from '../terminal/screen.ts'
import { fieldLines } from '../terminal/table.ts'
import { appsOf, type OfAccount, userOf, withAccount } from './appPaths.ts'
import { userFields, userTable } from './endUserTables.ts'

/** No password that the service takes is longer. */
const bytesMax = 16_384

/** Adds `users`. */
export function addUserCommands(program: Command, run: Run): void {
  const users = describe(program, {
    usage: 'users',
    summary: 'Create, find and delete the users of an application.',
    example: 'vigil users list shop001',
  })
  const create = describe(users, {
    usage: 'create <app>',
    summary: 'Create a user known by these identifiers and print it.',
    example:
      'vigil users create shop001 --id email_address=ann@example.com --id customer_user_id=42',
  }).option('--id <type=value>', 'an identifier; again for each', collectEveryPair)
  withAccount(create).action(serve<CreateOptions>(run, createUser))
  const list = describe(users, {
    usage: 'list <app>',
    summary: 'List the users in the order they were created.',
    example: 'vigil users list shop001',
  })
  withAccount(list).action(serve<OfAccount>(run, listUsers))
  const find = describe(users, {
    usage: 'find <app> <type> <value>',
    summary: 'Find the user with an identifier.',
    example: 'vigil users find shop001 email_address ann@example.com',
  })
  withAccount(find).action(serve<OfAccount>(run, findUser))
  const get = describe(users, {
    usage: 'get <app> <user>',
    summary: 'Print a user.',
    example: 'vigil users get shop001 usr_01kakq8v6mfgxbnsb9ksm0zn3q',
  })
  withAccount(get).action(serve<OfAccount>(run, getUser))
  const remove = describe(users, {
    usage: 'delete <app> <user>',
    summary:
      'Delete a user for good: sessions end, and the password, identifiers and devices are erased. Evaluations, feedback and lists keep their number and address: see vigil subjects erase.',
    example: 'vigil users delete shop001 usr_01kakq8v6mfgxbnsb9ksm0zn3q',
  })
  withAccount(remove).action(serve<OfAccount>(run, deleteUser))
  addPasswordCommands(users, run)
  addGrant(users, run)
}

function addGrant(users: Command, run: Run): void {
  const grant = describe(users, {
    usage: 'grant <app> <user> <scope>',
    summary: 'Let the user do something once, within minutes.',
    example: 'vigil users grant shop001 usr_01kakq8v6mfgxbnsb9ksm0zn3q prld:pwd:write',
  })
    .option('--session <session>', 'in this session only')
    .option('--seconds <number>', 'how long it can be used: 30 to 900', wholeNumber(30, 900))
  withAccount(grant).action(serve<GrantOptions>(run, grantScope))
}

type Done = Promise<ExitCode | undefined>
type Args = readonly string[]

interface CreateOptions extends OfAccount {
  readonly id?: readonly Pair[]
}

interface GrantOptions extends OfAccount {
  readonly session?: string
  readonly seconds?: number
}

async function createUser(invocation: Invocation, options: CreateOptions, app = ''): Done {
  const identifiers = (options.id ?? []).map(([type, value]) => ({ type, value }))
  if (identifiers.length === 0) throw usageError('Say what the user is known by: --id type=value.')
  const { client, path } = await appsOf(invocation, options)
  const { body } = await client<UserView>('POST', `${path}/${segment(app)}/users`, {
    body: { identifiers },
  })
  invocation.print(body, () => fieldLines(userFields(body)))
  return undefined
}

async function listUsers(invocation: Invocation, options: OfAccount, app = ''): Done {
  const { client, path } = await appsOf(invocation, options)
  const users = await listAll<UserView>(client, {
    path: `${path}/${segment(app)}/users`,
    name: 'users',
  })
  invocation.print({ users }, () => userTable(users, invocation.screen))
  return undefined
}

async function findUser(invocation: Invocation, options: OfAccount, ...args: Args): Done {
  const [app = '', type = '', value = ''] = args
  const { client, path } = await appsOf(invocation, options)
  const asked = { query: { type, value } }
  const { body } = await client('GET', `${path}/${segment(app)}/users`, asked)
  const users = entriesOf<UserView>(body, 'users')
  invocation.print(body, () => userTable(users, invocation.screen))
  return undefined
}

async function getUser(invocation: Invocation, options: OfAccount, ...args: Args): Done {
  const { client, path } = await userOf(invocation, options, args)
  const { body } = await client<UserView>('GET', path)
  invocation.print(body, () => fieldLines(userFields(body)))
  return undefined
}

async function deleteUser(invocation: Invocation, options: OfAccount, ...args: Args): Done {
  const { client, path, user } = await userOf(invocation, options, args)
  await client('DELETE', path)
  invocation.print({ id: user, deleted: true }, () => [`Deleted ${printable(user)}.`])
  return undefined
}

async function grantScope(invocation: Invocation, options: GrantOptions, ...args: Args): Done {
  const { client, path } = await userOf(invocation, options, args)
  const body = { scope: args[2], session_id: options.session, seconds: options.seconds }
  const granted = await client('POST', `${path}/scopes`, { body })
  invocation.print(granted.body, () => fieldLines(granted.body))
  return undefined
}

/** Adds `password` to the commands on users. */
function addPasswordCommands(users: Command, run: Run): void {
  const passwords = describe(users, {
    usage: 'password',
    summary: 'Give users passwords.',
    example: 'vigil users password set shop001 usr_01kakq8v6mfgxbnsb9ksm0zn3q',
  })
  const set = describe(passwords, {
    usage: 'set <app> <user>',
    summary: 'Give a user a password: asked for, or read from standard input, never an argument.',
    example: 'vigil users password set shop001 usr_01kakq8v6mfgxbnsb9ksm0zn3q <password.txt',
  })
  withAccount(set).action(serve<OfAccount>(run, setPassword))
}

async function setPassword(
  invocation: Invocation,
  options: OfAccount,
  ...args: readonly string[]
): Promise<ExitCode | undefined> {
  const password = await readPassword(invocation)
  const { client, path, user } = await userOf(invocation, options, args)
  await client('PUT', `${path}/password`, { body: { password } })
  invocation.print({ id: user, password_set: true }, () => [
    `Set the password of ${printable(user)}.`,
  ])
  return undefined
}

/** The password, without the end of its line and with every other character of it. Throws `usage` for none and for what is no text. */
async function readPassword(invocation: Pick<Invocation, 'context' | 'flags'>): Promise<string> {
  refuseSharedInput(invocation, 'password')
  const { stdin } = invocation.context
  const given = stdin.isTty ? await typed(stdin) : withoutLineEnd(await stdin.readAll(bytesMax))
  if (given === '') throw usageError('There is no password: type it, or pipe it in.')
  // what bytes are read as that are no text
  if (given.includes('\ufffd')) throw usageError('A password must be text in UTF-8.')
  return given
}

/** Typed twice, since nobody sees what is typed. */
async function typed(stdin: Invocation['context']['stdin']): Promise<string> {
  const password = await stdin.askSecret('Password: ')
  const again = await stdin.askSecret('The same again: ')
  if (password !== again) throw usageError('The two passwords are not the same.')
  return password
}

function withoutLineEnd(text: string): string {
  return text.replace(/\r?\n$/, '')
}
