/** Reads the CLI's environment variables, finds its profiles folder; no other file reads them. */

import { homedir } from 'node:os'
import { join } from 'node:path'
import { defaultDataFolder } from '../../config.ts'

export type Environment = Readonly<ReturnType<typeof readEnvironment>>

type Variables = Readonly<Record<string, string | undefined>>

/** Reads the environment of this process, or the given one; an empty variable counts as unset. */
export function readEnvironment(variables: Variables = process.env) {
  const text = (name: string): string | undefined => variables[name]?.trim() || undefined
  const configFolder = text('XDG_CONFIG_HOME') ?? join(homedir(), '.config')
  return {
    server: text('VIGIL_URL'),
    token: text('VIGIL_TOKEN'),
    operatorToken: text('VIGIL_OPERATOR_TOKEN'),
    profile: text('VIGIL_PROFILE'),
    /** Of a service on this machine, which reads the same variable. */
    port: parsePort(text('PORT')),
    /** As the service reads it and the next three, for the commands that work on its folder. */
    dataFolder: text('VIGIL_DATA') ?? defaultDataFolder,
    masterKey: text('VIGIL_MASTER_KEY'),
    mongoDbUrl: text('MONGODB_URL'),
    eventStoreUrl: text('EVENTSTORE_URL'),
    /** Of this user. */
    profilesFile: join(configFolder, 'vigil', 'profiles.json'),
    /** Whether terminals take escape sequences at all. */
    escapes: text('TERM') !== 'dumb',
    // https://no-color.org: set to anything
    colour: !variables['NO_COLOR'] && text('TERM') !== 'dumb',
  }
}

/** The port; undefined for a text that is none. */
function parsePort(text: string | undefined): number | undefined {
  const port = /^\d{1,5}$/.test(text ?? '') ? Number(text) : 0
  return port > 0 && port < 65_536 ? port : undefined
}
