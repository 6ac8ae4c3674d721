/** Commands on applications, which the operator can run for any account. */

import type { Client } from '../connecting/client.ts'
import type { CommandRow } from '../connecting/commandRow.ts'
import { type Invocation, segment } from '../connecting/invocation.ts'

const accountOption = { '--account <account>': 'run it for this account (operator)' } as const

export interface AccountOption {
  readonly account?: string
}

/** The row with a request below the list of applications, and with `--account`. */
export function forApps(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  row: CommandRow,
): CommandRow {
  return {
    ...row,
    options: { ...row.options, ...accountOption },
    request: `${method} /v2/session/apps${path}`,
    forAccount: `/v2/operator/accounts/<--account>/apps${path}`,
  }
}

interface UserPath {
  readonly client: Client
  readonly path: string
}

/** The client and the path of a user, for a command that is more than one row says. */
export async function openUser(
  invocation: Invocation,
  { account }: AccountOption,
  [app = '', user = '']: readonly string[],
): Promise<UserPath> {
  const path = `apps/${segment(app)}/users/${segment(user)}`
  return account === undefined
    ? { client: await invocation.client(), path: `/v2/session/${path}` }
    : {
        client: await invocation.client('operator'),
        path: `/v2/operator/accounts/${segment(account)}/${path}`,
      }
}
