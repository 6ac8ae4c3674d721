/** `vigil access`: what the operator lets an account do. */

import type { Command } from 'commander'
import { type Invocation, type Run, serve } from '../connecting/invocation.ts'
import { segment } from '../connecting/segment.ts'
import { usageError } from '../terminal/cliError.ts'
import { onOrOff } from '../terminal/collect.ts'
import { describe } from '../terminal/describe.ts'
import type { ExitCode } from '../terminal/exitCode.ts'
import { fieldLines } from '../terminal/fields.ts'

/** Adds `access`. */
export function addAccessCommand(program: Command, run: Run): void {
  describe(program, {
    usage: 'access <account>',
    summary: 'Say what an account may use (operator); what is left out stays as it is.',
    example: 'vigil access acc_01jc0t6fwwfgfsq1md24mhyztj --authoring on',
  })
    .option('--authoring <on|off>', 'author rules, recipes and flows', onOrOff)
    .option('--management <on|off>', 'manage verification settings', onOrOff)
    .option('--trusted-user <on|off>', 'send signals.is_trusted_user', onOrOff)
    .option('--custom-suffix <on|off>', 'have suffixes of its own in templates', onOrOff)
    .action(serve(run, setAccess))
}

type Done = Promise<ExitCode | undefined>

interface AccessOptions {
  readonly authoring?: boolean
  readonly management?: boolean
  readonly trustedUser?: boolean
  readonly customSuffix?: boolean
}

async function setAccess(invocation: Invocation, options: AccessOptions, account = ''): Done {
  const { authoring, management, trustedUser, customSuffix } = options
  if ([authoring, management, trustedUser, customSuffix].every((one) => one === undefined)) {
    const message =
      'Say what to change: --authoring, --management, --trusted-user or --custom-suffix.'
    throw usageError(message)
  }
  const client = await invocation.client('operator')
  const { body } = await client('PUT', `/v2/operator/accounts/${segment(account)}/access`, {
    body: { authoring, management, trusted_user: trustedUser, custom_suffix: customSuffix },
  })
  invocation.print(body, () => fieldLines(body))
  return undefined
}
