/** Adds `vigil sessions`: starts, lists and ends the sessions of a user. */

import type { Command } from 'commander'
import type { StartedSession } from '../../commands/sessions/startSession.ts'
import type { SessionView } from '../../commands/sessions/views.ts'
import { type Invocation, type Run, segment, serve } from '../connecting/invocation.ts'
import { listAll } from '../connecting/search.ts'
import { type ExitCode, usageError } from '../terminal/cliError.ts'
import { describe } from '../terminal/describe.ts'
import { printable } from '../terminal/screen.ts'
import { fieldLines } from '../terminal/table.ts'
import { type OfAccount, userOf, withAccount } from './appPaths.ts'
import { sessionTable } from './endUserTables.ts'

/** Adds `sessions`. */
export function addSessionCommands(program: Command, run: Run): void {
  const sessions = describe(program, {
    usage: 'sessions',
    summary: 'Start, see and end the sessions of a user.',
    example: 'vigil sessions list shop001 usr_01kakq8v6mfgxbnsb9ksm0zn3q',
  })
  const start = describe(sessions, {
    usage: 'start <app> <user>',
    summary: 'Start a session and print its tokens, which are not shown again.',
    example: 'vigil sessions start shop001 usr_01kakq8v6mfgxbnsb9ksm0zn3q --device-type IOS',
  })
    .option('--device-type <type>', 'such as IOS')
    .option('--device-model <model>', 'such as "iPhone 15"')
    .option('--os-version <version>', 'such as 17.1')
    .option('--country <code>', 'two letters')
    .option('--scope <scope...>', 'what it may do once, within five minutes')
  withAccount(start).action(serve<StartOptions>(run, startSession))
  const list = describe(sessions, {
    usage: 'list <app> <user>',
    summary: 'List the active sessions, the one seen last first.',
    example: 'vigil sessions list shop001 usr_01kakq8v6mfgxbnsb9ksm0zn3q',
  })
  withAccount(list).action(serve<OfAccount>(run, listSessions))
  const revoke = describe(sessions, {
    usage: 'revoke <app> <user> [session]',
    summary: 'End a session, or all with --all.',
    example: 'vigil sessions revoke shop001 usr_01kakq8v6mfgxbnsb9ksm0zn3q --all',
  }).option('--all', 'every session of the user')
  withAccount(revoke).action(serve<RevokeOptions>(run, revokeSessions))
}

type Done = Promise<ExitCode | undefined>
type Args = readonly string[]

interface StartOptions extends OfAccount {
  readonly deviceType?: string
  readonly deviceModel?: string
  readonly osVersion?: string
  readonly country?: string
  readonly scope?: readonly string[]
}

interface RevokeOptions extends OfAccount {
  readonly all?: boolean
}

async function startSession(invocation: Invocation, options: StartOptions, ...args: Args): Done {
  const { client, path } = await userOf(invocation, options, args)
  const { body } = await client<StartedSession>('POST', `${path}/sessions`, {
    body: {
      device_type: options.deviceType,
      device_model: options.deviceModel,
      os_version: options.osVersion,
      country_code: options.country,
      scopes: options.scope,
    },
  })
  const { session, ...tokens } = body
  invocation.print(body, () => fieldLines({ id: session.id, ...tokens }))
  return undefined
}

async function listSessions(invocation: Invocation, options: OfAccount, ...args: Args): Done {
  const { client, path } = await userOf(invocation, options, args)
  const sessions = await listAll<SessionView>(client, {
    path: `${path}/sessions`,
    name: 'sessions',
  })
  invocation.print({ sessions }, () => sessionTable(sessions, invocation.screen))
  return undefined
}

async function revokeSessions(invocation: Invocation, options: RevokeOptions, ...args: Args): Done {
  const [, , session] = args
  if ((session === undefined) === (options.all !== true)) {
    throw usageError('Name a session, or say --all.')
  }
  const { client, path, user } = await userOf(invocation, options, args)
  await client('DELETE', `${path}/sessions${session === undefined ? '' : `/${segment(session)}`}`)
  const ended = session ?? `all sessions of ${user}`
  invocation.print({ id: session, user_id: user, revoked: true }, () => [
    `Ended ${printable(ended)}.`,
  ])
  return undefined
}
