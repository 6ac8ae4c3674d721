/** Adds `vigil mongo grant`: prints a mongosh script for read-only analyst access. */

import type { Command } from 'commander'
import { type Invocation, type Run, serve } from '../connecting/invocation.ts'
import { usageError } from '../terminal/cliError.ts'
import { describe } from '../terminal/describe.ts'

interface GrantFlags {
  readonly database: string
  readonly role: string
  readonly user: string
}

/** What MongoDB takes as the name of a database, and we take as the name of a role and of a user. */
const namePattern = /^[A-Za-z][\w-]{0,62}$/

/** Adds `mongo`. It prints, and asks neither the service nor MongoDB. */
export function addMongoCommands(program: Command, run: Run): void {
  const mongo = describe(program, {
    usage: 'mongo',
    summary: 'What an administrator of MongoDB does for Vigil.',
    example: 'vigil mongo grant > grant.js',
  })
  describe(mongo, {
    usage: 'grant',
    summary:
      'Print the commands for mongosh that let analysts read the read models, and only those.',
    example: 'vigil mongo grant > grant.js',
  })
    .option('--database <name>', 'the database that MONGODB_URL names', 'vigil')
    .option('--role <name>', 'the role that may read', 'vigil_analyst')
    .option('--user <name>', 'the user who has the role', 'analyst')
    .action(serve<GrantFlags>(run, grant))
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
