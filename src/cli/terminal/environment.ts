/** Reads the CLI's environment variables, finds its profiles folder; no other file reads them. */

import { homedir } from 'node:os'
import { join } from 'node:path'
import { readSecret, type SecretName } from '../../config/settingReaders.ts'
import { defaultDataFolder } from '../../config.ts'
import { usageError } from './cliError.ts'

export type Environment = Readonly<ReturnType<typeof readEnvironment>>

type Variables = Readonly<Record<string, string | undefined>>

/** Reads the environment of this process, or the given one; an empty variable counts as unset. */
export function readEnvironment(variables: Variables = process.env) {
  const text = (name: string): string | undefined => variables[name]?.trim() || undefined
  const configFolder = text('XDG_CONFIG_HOME') ?? join(homedir(), '.config')
  return {
    server: text('VIGIL_URL'),
    token: text('VIGIL_TOKEN'),
    /** This and other secrets may be in files, opened by the command that needs them. */
    get operatorToken() {
      return findSecret(variables, 'VIGIL_OPERATOR_TOKEN')
    },
    profile: text('VIGIL_PROFILE'),
    /** Of a service on this machine, which reads the same variable. */
    port: parsePort(text('PORT')),
    /** As the service reads it and the next three, for the commands that work on its folder. */
    dataFolder: text('VIGIL_DATA') ?? defaultDataFolder,
    get masterKey() {
      return findSecret(variables, 'VIGIL_MASTER_KEY')
    },
    get mongoDbUrl() {
      return findSecret(variables, 'MONGODB_URL')
    },
    get eventStoreUrl() {
      return findSecret(variables, 'EVENTSTORE_URL')
    },
    /** Of this user. */
    profilesFile: join(configFolder, 'vigil', 'profiles.json'),
    /** Whether terminals take escape sequences at all. */
    escapes: text('TERM') !== 'dumb',
    // https://no-color.org: set to anything
    colour: !variables['NO_COLOR'] && text('TERM') !== 'dumb',
  }
}

/** The secret. Throws `usage` when the file that is to hold it does not. */
function findSecret(variables: Variables, name: SecretName): string | undefined {
  try {
    return readSecret(variables, name)
  } catch (error) {
    throw usageError(error instanceof Error ? error.message : String(error))
  }
}

/** The port; undefined for a text that is none. */
function parsePort(text: string | undefined): number | undefined {
  const port = /^\d{1,5}$/.test(text ?? '') ? Number(text) : 0
  return port > 0 && port < 65_536 ? port : undefined
}
