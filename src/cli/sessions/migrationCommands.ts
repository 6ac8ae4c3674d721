/** `vigil apps migration`: where legacy sessions of an application are validated. */

import type { Command } from 'commander'
import type { MigrationConfigView } from '../../service/sessions/sessionsPart.ts'
import { type Invocation, type Run, serve } from '../connecting/invocation.ts'
import { segment } from '../connecting/segment.ts'
import { describe } from '../terminal/describe.ts'
import type { ExitCode } from '../terminal/exitCode.ts'
import { fieldLines } from '../terminal/fields.ts'
import { printable } from '../terminal/printable.ts'

/** Adds `migration`. */
export function addMigrationCommands(apps: Command, run: Run): void {
  const migration = describe(apps, {
    usage: 'migration',
    summary: 'Say where legacy sessions of an application are validated.',
    example: 'vigil apps migration get shop001',
  })
  describe(migration, {
    usage: 'get <app>',
    summary: 'Print the configuration.',
    example: 'vigil apps migration get shop001',
  }).action(serve(run, getConfig))
  describe(migration, {
    usage: 'set <app> <url>',
    summary: 'Set the URL: HTTPS, of a public host.',
    example: 'vigil apps migration set shop001 https://api.example.com/session/validate',
  }).action(serve(run, setConfig))
  describe(migration, {
    usage: 'delete <app>',
    summary: 'Delete the configuration; one that is not set is no error.',
    example: 'vigil apps migration delete shop001',
  }).action(serve(run, deleteConfig))
}

type Done = Promise<ExitCode | undefined>

interface Answer {
  readonly config: MigrationConfigView
}

async function getConfig(invocation: Invocation, _: object, app = ''): Done {
  const client = await invocation.client()
  const { body } = await client<Answer>('GET', pathOf(app))
  invocation.print(body, () => fieldLines({ ...body.config }))
  return undefined
}

async function setConfig(invocation: Invocation, _: object, ...args: readonly string[]): Done {
  const [app = '', url = ''] = args
  const client = await invocation.client()
  const { body } = await client<Answer>('PUT', pathOf(app), {
    body: { session_validation_url: url },
  })
  invocation.print(body, () => fieldLines({ ...body.config }))
  return undefined
}

async function deleteConfig(invocation: Invocation, _: object, app = ''): Done {
  const client = await invocation.client()
  await client('DELETE', pathOf(app))
  const lines = [`${printable(app)} has no migration configuration.`]
  invocation.print({ app_id: app, deleted: true }, () => lines)
  return undefined
}

function pathOf(app: string): string {
  return `/v2/session/apps/${segment(app)}/config/migration`
}
