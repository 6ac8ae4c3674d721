/** Adds `vigil apps`: manages applications, their settings and legacy session migration. */

import { type Command, InvalidArgumentError } from 'commander'
import type { AppView, MigrationConfigView } from '../../commands/sessions/views.ts'
import {
  type AppSettingsInput,
  appSettingBounds,
  type PasswordPolicy,
  passwordChangeRevokes,
  type TokenLifetimes,
} from '../../domain/sessions/appSettings.ts'
import { type Invocation, type Run, segment, serve } from '../connecting/invocation.ts'
import { listAll } from '../connecting/search.ts'
import { type ExitCode, usageError } from '../terminal/cliError.ts'
import { describe, wholeNumber } from '../terminal/describe.ts'
import { printable } from '../terminal/screen.ts'
import { fieldLines } from '../terminal/table.ts'
import { appsOf, type OfAccount, withAccount } from './appPaths.ts'
import { appFields, appTable } from './endUserTables.ts'
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
  invocation.print(body, () => appFields(body))
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
  invocation.print(body, () => appFields(body))
  return undefined
}

async function retireApp(invocation: Invocation, options: OfAccount, app = ''): Done {
  const { client, path } = await appsOf(invocation, options)
  await client('DELETE', `${path}/${segment(app)}`)
  invocation.print({ app_id: app, retired: true }, () => [`Retired ${printable(app)}.`])
  return undefined
}

/** Adds `migration`. */
function addMigrationCommands(apps: Command, run: Run): void {
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

type Revokes = AppSettingsInput['password_change_revokes']

interface SetOptions extends OfAccount {
  readonly accessSeconds?: number
  readonly refreshSeconds?: number
  readonly sessionDays?: number
  readonly signingKeyDays?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly uppercase?: number
  readonly lowercase?: number
  readonly numbers?: number
  readonly symbols?: number
  readonly origin?: readonly string[]
  readonly passwordChangeRevokes?: Revokes
}

/** Adds `set`. */
function addAppSetCommand(apps: Command, run: Run): void {
  const command = describe(apps, {
    usage: 'set <app>',
    summary: 'Set an application and print it; what is left out stays as it is.',
    example:
      'vigil apps set shop001 --access-seconds 300 --min-length 12 --origin https://shop.example',
  })
  const number = (flag: string, name: keyof typeof appSettingBounds, meaning: string): void => {
    const { minimum, maximum } = appSettingBounds[name]
    command.option(flag, meaning, wholeNumber(minimum, maximum))
  }
  number('--access-seconds <seconds>', 'access_seconds', 'how long an access token is valid')
  number('--refresh-seconds <seconds>', 'refresh_seconds', 'how long a session lives unrefreshed')
  number('--session-days <days>', 'session_days', 'how long a session lives at most; 0 for no end')
  number('--signing-key-days <days>', 'signing_key_days', 'after how long another key signs')
  number('--min-length <count>', 'min_length', 'characters of a password at least')
  number('--max-length <count>', 'max_length', 'characters of a password at most')
  number('--uppercase <count>', 'uppercase', 'capital letters at least')
  number('--lowercase <count>', 'lowercase', 'small letters at least')
  number('--numbers <count>', 'numbers', 'digits at least')
  number('--symbols <count>', 'symbols', 'other characters at least')
  command
    .option(
      '--origin <origin>',
      'whose pages may call its host; may be repeated, and replaces those there were; none allows nobody',
      collectOrigins,
    )
    .option(
      '--password-change-revokes <sessions>',
      'which sessions of a user end with a new password: none, others or all',
      revokesOf,
    )
  withAccount(command).action(serve<SetOptions>(run, setApp))
}

/** `none` alone stands for an empty list. */
function collectOrigins(given: string, before: readonly string[] = []): readonly string[] {
  return given === 'none' ? [] : [...before, given]
}

function revokesOf(given: string): Revokes {
  const found = passwordChangeRevokes.find((known) => known === given)
  if (found === undefined) {
    throw new InvalidArgumentError(`Must be one of: ${passwordChangeRevokes.join(', ')}.`)
  }
  return found
}

async function setApp(
  invocation: Invocation,
  options: SetOptions,
  app = '',
): Promise<ExitCode | undefined> {
  const input = inputOf(options)
  if (Object.keys(input).length === 0) throw usageError('Say what to set; see --help.')
  const { client, path } = await appsOf(invocation, options)
  const place = `${path}/${segment(app)}/settings`
  const { body } = await client<AppView>('PUT', place, { body: input })
  invocation.print(body, () => appFields(body))
  return undefined
}

function inputOf(options: SetOptions): AppSettingsInput {
  const { accessSeconds, refreshSeconds, sessionDays, signingKeyDays } = options
  const {
    minLength,
    maxLength,
    uppercase,
    lowercase,
    numbers,
    symbols,
    origin,
    passwordChangeRevokes,
  } = options
  const tokens: Partial<TokenLifetimes> = given({
    access_seconds: accessSeconds,
    refresh_seconds: refreshSeconds,
    session_days: sessionDays,
    signing_key_days: signingKeyDays,
  })
  const password: Partial<PasswordPolicy> = given({
    min_length: minLength,
    max_length: maxLength,
    uppercase,
    lowercase,
    numbers,
    symbols,
  })
  return {
    ...(Object.keys(tokens).length > 0 && { tokens }),
    ...(Object.keys(password).length > 0 && { password }),
    ...(origin && { allowed_origins: origin }),
    ...(passwordChangeRevokes && { password_change_revokes: passwordChangeRevokes }),
  }
}

/** Without what was not said. */
function given<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: NonNullable<Fields[Name]> } {
  const said = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(said) as { [Name in keyof Fields]?: NonNullable<Fields[Name]> }
}
