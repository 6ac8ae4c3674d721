/** Declares `vigil mongo grant`: prints a mongosh script for read-only analyst access. */

import type { CommandRow } from '../connecting/commandRow.ts'
import type { Invocation } from '../connecting/invocation.ts'
import { usageError } from '../terminal/cliError.ts'

interface GrantFlags {
  readonly database: string
  readonly role: string
  readonly user: string
}

/** What MongoDB takes as the name of a database, and we take as the name of a role and of a user. */
const namePattern = /^[A-Za-z][\w-]{0,62}$/

/** They print, and ask neither the service nor MongoDB. */
export const mongoCommands: CommandRow = {
  usage: 'mongo',
  summary: 'Print commands for an administrator of MongoDB.',
  example: 'vigil mongo grant > grant.js',
  commands: [
    {
      usage: 'grant',
      summary:
        'Print the commands for mongosh that let analysts read the read models, and only those.',
      example: 'vigil mongo grant > grant.js',
      options: {
        '--database <name>': { meaning: 'the database that MONGODB_URL names', default: 'vigil' },
        '--role <name>': { meaning: 'the role that may read', default: 'vigil_analyst' },
        '--user <name>': { meaning: 'the user who has the role', default: 'analyst' },
      },
      run: grant,
    },
  ],
}

async function grant({ print }: Invocation, flags: GrantFlags): Promise<undefined> {
  const { database, role, user } = flags
  for (const [flag, name] of Object.entries({ database, role, user })) {
    if (!namePattern.test(name)) {
      throw usageError(`--${flag} must be a letter and up to 62 letters, digits, _ and -.`)
    }
  }
  // Loaded only here: every other command is a client, and starts without the read models.
  const { analystGrant } = await import('../../queries/operations/analystGrant.ts')
  const script = analystGrant({ database, role, user })
  print({ script }, () => script.trimEnd().split('\n'))
}
