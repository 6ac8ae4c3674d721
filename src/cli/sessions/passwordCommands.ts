/** `vigil users password`: the passwords of users. */

import type { Command } from 'commander'
import { type Invocation, type Run, serve } from '../connecting/invocation.ts'
import { describe } from '../terminal/describe.ts'
import type { ExitCode } from '../terminal/exitCode.ts'
import { printable } from '../terminal/printable.ts'
import { type OfAccount, withAccount } from './appsOf.ts'
import { readPassword } from './readPassword.ts'
import { userOf } from './userOf.ts'

/** Adds `password` to the commands on users. */
export function addPasswordCommands(users: Command, run: Run): void {
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
