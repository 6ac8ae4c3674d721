/** `vigil apps set`: the settings of an application. */

import { type Command, InvalidArgumentError } from 'commander'
import {
  type AppSettingsInput,
  appSettingBounds,
  type PasswordPolicy,
  passwordChangeRevokes,
  type TokenLifetimes,
} from '../../domain/appSettings.ts'
import type { AppView } from '../../service/sessions/sessionsPart.ts'
import { type Invocation, type Run, serve } from '../connecting/invocation.ts'
import { segment } from '../connecting/segment.ts'
import { usageError } from '../terminal/cliError.ts'
import { wholeNumber } from '../terminal/collect.ts'
import { describe } from '../terminal/describe.ts'
import type { ExitCode } from '../terminal/exitCode.ts'
import { appsOf, type OfAccount, withAccount } from './appsOf.ts'
import { appLines } from './appsView.ts'

type Revokes = AppSettingsInput['password_change_revokes']

interface SetOptions extends OfAccount {
  readonly accessSeconds?: number
  readonly refreshSeconds?: number
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
export function addAppSetCommand(apps: Command, run: Run): void {
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
  invocation.print(body, () => appLines(body))
  return undefined
}

function inputOf(options: SetOptions): AppSettingsInput {
  const { accessSeconds, refreshSeconds, signingKeyDays, minLength, maxLength } = options
  const { uppercase, lowercase, numbers, symbols, origin, passwordChangeRevokes } = options
  const tokens: Partial<TokenLifetimes> = given({
    access_seconds: accessSeconds,
    refresh_seconds: refreshSeconds,
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
