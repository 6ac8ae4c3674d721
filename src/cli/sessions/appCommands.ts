/** `vigil apps`: the applications whose users have sessions. */

import type { Command } from 'commander'
import type { AppView } from '../../service/sessions/sessionsPart.ts'
import { type Invocation, type Run, serve } from '../connecting/invocation.ts'
import { listAll } from '../connecting/listAll.ts'
import { segment } from '../connecting/segment.ts'
import { describe } from '../terminal/describe.ts'
import type { ExitCode } from '../terminal/exitCode.ts'
import { printable } from '../terminal/printable.ts'
import { addAppSetCommand } from './appSetCommand.ts'
import { appsOf, type OfAccount, withAccount } from './appsOf.ts'
import { appLines, appTable } from './appsView.ts'
import { addMigrationCommands } from './migrationCommands.ts'
import { addSigningKeyCommands } from './signingKeyCommands.ts'

/** Adds `apps`. */
export function addAppCommands(program: Command, run: Run): void {
  const apps = describe(program, {
    usage: 'apps',
    summary: 'Register, set and retire applications, whose users have sessions.',
    example: 'vigil apps list',
  })
  const register = describe(apps, {
    usage: 'register <name>',
    summary: 'Register an application and print it.',
    example: 'vigil apps register "Shop" --id shop001',
  }).option('--id <id>', '7 lower-case letters and digits; made when it is left out')
  withAccount(register).action(serve<RegisterOptions>(run, registerApp))
  const list = describe(apps, {
    usage: 'list',
    summary: 'List the applications in the order they were registered.',
    example: 'vigil apps list',
  })
  withAccount(list).action(serve<OfAccount>(run, listApps))
  const get = describe(apps, {
    usage: 'get <app>',
    summary: 'Print an application with its settings.',
    example: 'vigil apps get shop001',
  })
  withAccount(get).action(serve<OfAccount>(run, getApp))
  addAppSetCommand(apps, run)
  const retire = describe(apps, {
    usage: 'retire <app>',
    summary: 'Take an application out of service for good; its id stays taken.',
    example: 'vigil apps retire shop001',
  })
  withAccount(retire).action(serve<OfAccount>(run, retireApp))
  addSigningKeyCommands(apps, run)
  addMigrationCommands(apps, run)
}

type Done = Promise<ExitCode | undefined>

interface RegisterOptions extends OfAccount {
  readonly id?: string
}

async function registerApp(invocation: Invocation, options: RegisterOptions, name = ''): Done {
  const { client, path } = await appsOf(invocation, options)
  const { body } = await client<AppView>('POST', path, { body: { name, app_id: options.id } })
  invocation.print(body, () => appLines(body))
  return undefined
}

async function listApps(invocation: Invocation, options: OfAccount): Done {
  const { client, path } = await appsOf(invocation, options)
  const apps = await listAll<AppView>(client, { path, name: 'apps' })
  invocation.print({ apps }, () => appTable(apps, invocation.screen))
  return undefined
}

async function getApp(invocation: Invocation, options: OfAccount, app = ''): Done {
  const { client, path } = await appsOf(invocation, options)
  const { body } = await client<AppView>('GET', `${path}/${segment(app)}`)
  invocation.print(body, () => appLines(body))
  return undefined
}

async function retireApp(invocation: Invocation, options: OfAccount, app = ''): Done {
  const { client, path } = await appsOf(invocation, options)
  await client('DELETE', `${path}/${segment(app)}`)
  invocation.print({ app_id: app, retired: true }, () => [`Retired ${printable(app)}.`])
  return undefined
}
