/** Opens the accounts' part of the service. */

import type { ServiceContext } from '../opening/serviceContext.ts'
import { openAccountCommands } from './accountCommands.ts'
import { openAccountQueries } from './accountQueries.ts'
import type { AccountsPart } from './accountsPart.ts'
import { openAuthentication } from './authenticate.ts'
import { openFrontEndAuthentication } from './authenticateFrontEnd.ts'

/** `operatorTokenHash` is the SHA-256 of the operator's token, hexadecimal. */
export function openAccountsPart(context: ServiceContext, operatorTokenHash: string): AccountsPart {
  return {
    authenticate: openAuthentication(context, operatorTokenHash),
    authenticateFrontEnd: openFrontEndAuthentication(context),
    accounts: { ...openAccountQueries(context), ...openAccountCommands(context) },
  }
}
